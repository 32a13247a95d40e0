import { expect, it } from 'vitest';
import { findExample } from './support/example.ts';
import { post } from './support/post.ts';
import { start } from './support/process.ts';
import { createTemporaryFolder, startService } from './support/service.ts';

it('stores plants exactly from workerd, and shows why one is rejected', async () => {
  const service = await startService();
  const { folder, command, path } = findExample('cloudflare-worker');
  // Wrangler writes settings and logs into the home folder, and calls home unless it is configured not to.
  const quiet = { HOME: await createTemporaryFolder(), WRANGLER_SEND_METRICS: 'false', CI: 'true' };
  const worker = start(['sh', '-c', `${command} --port 0`], {
    folder,
    environment: { ...service.environment, ...path, ...quiet },
  });
  const [, url = ''] = await worker.waitFor(/Ready on (http:\S+)/);

  const plant = { id: '9223372036854775807', name: 'Rose' };
  expect(await post(url, plant)).toEqual([200, { id: plant.id, replayed: false }]);
  expect(await post(url, plant)).toEqual([200, { id: plant.id, replayed: true }]);
  expect(await service.readPlants()).toEqual(['{"id":9223372036854775807,"name":"Rose"}']);

  expect(await post(url, { ...plant, name: 'Fern' })).toEqual([
    422,
    { message: 'The id 9223372036854775807 belongs to another plant. Choose another id.' },
  ]);
  expect(await post(url, { id: 1, name: 'Rose' })).toMatchObject([400, {}]);
  expect((await fetch(url)).status).toBe(405);
  await service.stop();
  expect(await post(url, plant)).toMatchObject([502, {}]);
  expect(worker.output()).not.toContain(service.token);
});
