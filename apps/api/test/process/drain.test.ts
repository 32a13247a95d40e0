import { expect, it } from 'vitest';
import { composePlantRequest } from '../support/post-plant.js';
import { issueToken, startCommand, startServe } from '../support/process/run-command.js';
import { openConnection } from '../support/send-raw.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** Long enough for the requests of a slow machine; the default is tested below. */
const drainDelayMs = 3_000;

it('accepts creates while it drains, is not ready, and closes connections with their next reply', async () => {
  const folder = temporaryFolder();
  const environment = { ADMIN_PORT: '0', DRAIN_DELAY_MS: String(drainDelayMs) };
  const token = await issueToken({ folder });
  const { command, baseUrl } = await startServe({ folder, environment });
  const [, adminUrl] = await command.waitFor(/"adminUrl":"([^"]+)"/);
  const connection = await openConnection(baseUrl);
  const create = async (id: number) => {
    connection.write(composePlantRequest({ baseUrl, token }, JSON.stringify({ id, name: 'Fern' })));
    return connection.readReply();
  };
  expect(await create(1)).toMatchObject({ status: 200, headers: { connection: 'keep-alive' } });

  command.process.kill('SIGTERM');
  const signalledAt = performance.now();
  await command.waitFor(/"msg":"stopping"/);
  const ready = await fetch(`${adminUrl}/readyz`);
  expect(ready.status).toBe(503);
  expect(await ready.json()).toEqual({ status: 'unavailable', reason: 'shutting_down' });
  expect(await create(2)).toMatchObject({ status: 200, headers: { connection: 'close' } });
  const another = await openConnection(baseUrl);
  another.write(composePlantRequest({ baseUrl, token }, '{"id":3,"name":"Fern"}'));
  expect(await another.readReply()).toMatchObject({ status: 200, headers: { connection: 'close' } });
  expect(await command.end()).toMatchObject({ exitCode: 0, stderr: '' });
  expect(performance.now() - signalledAt).toBeGreaterThanOrEqual(drainDelayMs);
});

it.each([
  [{ ADMIN_PORT: '0' }, 5_000],
  [{}, 0],
])(
  'drains with the settings %j for %i ms by default, since only an admin port shows that it does',
  async (environment, delayMs) => {
    const folder = temporaryFolder();
    const command = startCommand(['serve'], { folder, environment: { PORT: '0', ...environment } });
    await command.waitFor(/"msg":"listening"/);
    command.process.kill('SIGTERM');
    const [, shown] = await command.waitFor(/"drainDelayMs":(\d+),"msg":"stopping"/);
    expect(Number(shown)).toBe(delayMs);
    await command.end('SIGKILL');
  },
);
