import { expect, it } from 'vitest';
import { postPlant } from '../support/post-plant.js';
import { createCitusSchema } from '../support/postgresql/citus-cluster.js';
import { startProxy } from '../support/postgresql/start-proxy.js';
import { startTestService } from '../support/start-test-service.js';
import { until } from '../support/until.js';

it('is not ready and refuses creates while the coordinator is away, and stores them once it is back', async () => {
  const { url, migrate } = await createCitusSchema();
  await migrate('--distribute', '4');
  const proxy = await startProxy(Number(new URL(url).port));
  const service = await startTestService({
    DATABASE_URL: Object.assign(new URL(url), { port: proxy.port }).href,
    DATABASE_STATEMENT_TIMEOUT_MS: '3000',
    ADMIN_PORT: '0',
  });
  let id = 0;
  const statuses = async () => {
    const created = await postPlant(service, { id: ++id, name: 'Fern' });
    return [created.status, (await fetch(`${service.adminUrl}/readyz`)).status].join();
  };
  const untilBothAre = (status: number) => until(async () => (await statuses()) === `${status},${status}`);
  await untilBothAre(200);
  proxy.freeze();
  await untilBothAre(503);
  proxy.cut();
  expect(await statuses()).toBe('503,503');
  proxy.thaw();
  await untilBothAre(200);
});
