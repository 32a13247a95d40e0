import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { notifySystemd } from '../../src/runtime/launcher.js';
import { composePlantRequest } from '../support/post-plant.js';
import { startCommand, startServe, startStore } from '../support/process/run-command.js';
import { parseLines } from '../support/read-log.js';
import { openConnection } from '../support/send-raw.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

/** Long enough for the requests of a slow machine; the default is tested below. */
const drainDelayMs = 3_000;

it('accepts creates while it drains, is not ready, and closes connections with their next reply', async () => {
  const startedAt = Date.now();
  const environment = { ADMIN_PORT: '0', DRAIN_DELAY_MS: String(drainDelayMs) };
  const { command, baseUrl, adminUrl, token } = await startStore(environment);
  const readReadiness = async () => (await fetch(`${adminUrl}/readyz`)).json();
  const connection = await openConnection(baseUrl);
  const create = (id: number, on = connection) => {
    on.write(composePlantRequest({ baseUrl, token }, JSON.stringify({ id, name: 'Fern' })));
    return on.readReply();
  };
  expect(await create(1)).toMatchObject({ status: 200, headers: { connection: 'keep-alive' } });
  expect(await readReadiness()).toEqual({ status: 'ready' });

  command.process.kill('SIGTERM');
  const signalledAt = performance.now();
  await command.waitFor(/"msg":"stopping"/);
  expect(await readReadiness()).toEqual({ status: 'unavailable', reason: 'shutting_down' });
  expect(await create(2)).toMatchObject({ status: 200, headers: { connection: 'close' } });
  const another = await openConnection(baseUrl);
  expect(await create(3, another)).toMatchObject({ status: 200, headers: { connection: 'close' } });
  const { exitCode, stdout, stderr } = await command.end();
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(performance.now() - signalledAt).toBeGreaterThanOrEqual(drainDelayMs);

  const times = parseLines(stdout).map(({ time }) => Date.parse(time));
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(times[0]).toBeGreaterThanOrEqual(startedAt);
  expect(times.at(-1)).toBeLessThanOrEqual(Date.now());
});

it('drains by default only where an admin port shows that it does', async () => {
  const environment = { PORT: '0', ADMIN_PORT: '0' };
  const command = startCommand(['serve'], { folder: temporaryFolder(), environment });
  await command.waitFor(/"msg":"listening"/);
  command.process.kill('SIGTERM');
  await command.waitFor(/"drainDelayMs":5000,"msg":"stopping"/);
  await command.end('SIGKILL');
});

it('without settings has no admin port, issues no token, and stops at once, also at SIGHUP of a closed terminal', async () => {
  const folder = temporaryFolder();
  const command = startCommand(['serve'], { folder, environment: { PORT: '0' } });
  await command.waitFor(/"msg":"listening"/);
  const { exitCode, stdout } = await command.end('SIGHUP');
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/"signal":"SIGHUP","drainDelayMs":0,"msg":"stopping"/);
  expect(stdout).toContain('"msg":"stopped"');
  expect(stdout).not.toMatch(/adminUrl|curl|pst_/);
  expect(existsSync(join(folder, 'data/access-token'))).toBe(false);
});

/** A folder with a `systemd-notify` that is this shell script, and an environment in which it is found. */
function createNotifier(script: string) {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'systemd-notify'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const environment = { PATH: `${folder}:${process.env['PATH']}`, NOTIFY_SOCKET: '/run/systemd/notify' };
  return { folder, environment, file: join(folder, 'notified') };
}

const record = 'cd "$(dirname "$0")"; echo "$@ $NOTIFY_SOCKET" >notified.new && mv notified.new notified';

it('reports to systemd that it has started, once it listens, but not without systemd', async () => {
  const { folder, environment, file } = createNotifier(record);
  await notifySystemd({ PATH: environment.PATH });
  expect(existsSync(file)).toBe(false);

  const { baseUrl, command } = await startServe({ folder, environment });
  expect((await fetch(`${baseUrl}/openapi.json`)).status).toBe(200);
  await until(() => existsSync(file));
  expect(readFileSync(file, 'utf8')).toBe('--ready /run/systemd/notify\n');
  expect((await command.end('SIGTERM')).exitCode).toBe(0);
});

it('serves all the same if systemd cannot be notified, and logs it', async () => {
  const { baseUrl, command } = await startServe(createNotifier('echo "no such socket" >&2; exit 1'));
  await command.waitFor(/"level":40,.*no such socket.*"msg":"could not notify systemd"/);
  expect((await fetch(`${baseUrl}/openapi.json`)).status).toBe(200);
});
