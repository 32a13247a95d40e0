import { expect, it } from 'vitest';
import { post, startExample } from './support/example.ts';
import { createTemporaryFolder, startService } from './support/service.ts';

it('stores the plant of its README exactly from workerd, and shows why one is rejected', async () => {
  const service = await startService();
  // Wrangler writes settings and logs into the home folder, and calls home unless it is configured not to.
  const quiet = { HOME: await createTemporaryFolder(), WRANGLER_SEND_METRICS: 'false', CI: 'true' };
  const { url, plant, output } = await startExample(
    'cloudflare-worker',
    { ...service.environment, ...quiet },
    /(?<=Ready on )http:\S+/,
    (command) => `${command} --port 0`,
  );
  expect(await post(url, plant)).toEqual([200, { id: plant.id, replayed: false }]);
  expect(await post(url, plant)).toEqual([200, { id: plant.id, replayed: true }]);
  expect(await service.readPlants()).toEqual([`{"id":${plant.id},"name":"Rose"}`]);

  const taken = { message: `Plant ${plant.id} already exists with different values. Choose another ID.` };
  expect(await post(url, { ...plant, name: 'Fern' })).toEqual([422, taken]);
  expect(await post(url, { id: 1, name: 'Rose' })).toMatchObject([400, {}]);
  expect((await fetch(url)).status).toBe(405);
  await service.stop();
  expect(await post(url, plant)).toMatchObject([502, {}]);
  expect(output()).not.toContain(service.token);
});
