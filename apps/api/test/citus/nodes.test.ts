import { expect, it, onTestFinished } from 'vitest';
import { postPlant } from '../support/post-plant.js';
import { createCitusSchema } from '../support/postgresql/citus-cluster.js';
import { startProxy } from '../support/postgresql/start-proxy.js';
import { runCommand } from '../support/process/run-command.js';
import { startTestService } from '../support/start-test-service.js';
import { until } from '../support/until.js';

it('rejects nodes whose commits do not wait for the disk, until that is set by the advice', async () => {
  const { name, url, query, call } = await createCitusSchema();
  await query(`CREATE ROLE ${name} LOGIN; CREATE SCHEMA ${name} AUTHORIZATION ${name}`);
  onTestFinished(async () => void (await query(`DROP OWNED BY ${name} CASCADE; DROP ROLE ${name}`)));
  const environment = { DATABASE_URL: Object.assign(new URL(url), { username: name }).href, PORT: '0' };
  const run = (...args: string[]) => runCommand(args, { ...call, environment });
  expect((await run('migrate', '--distribute')).exitCode).toBe(0);
  await query(`ALTER ROLE ${name} SET synchronous_commit = off`);
  expect(await run('migrate')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/its node .*:\d+ do not wait for the disk.*ALTER ROLE … SET/),
  });
  await query(`ALTER ROLE ${name} SET synchronous_commit = on`);
  expect((await run('migrate')).exitCode).toBe(0);
});

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
