import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startServe } from '../support/process/run-command.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

/** Starts the service with a `systemd-notify` that runs this shell script in the service's folder. */
async function startWith(script: string, environment: Readonly<Record<string, string>>) {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'systemd-notify'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const PATH = `${folder}:${process.env['PATH']}`;
  return { folder, ...(await startServe({ folder, environment: { ...environment, PATH } })) };
}

const unit = { NOTIFY_SOCKET: '/run/systemd/notify' };
const record = 'echo "$@ $NOTIFY_SOCKET" >notified.new && mv notified.new notified';

it('reports to systemd that it has started, once it listens', async () => {
  const { folder, baseUrl, command } = await startWith(record, unit);
  expect((await fetch(`${baseUrl}/openapi.json`)).status).toBe(200);
  await until(() => existsSync(join(folder, 'notified')));
  expect(readFileSync(join(folder, 'notified'), 'utf8')).toBe('--ready /run/systemd/notify\n');
  expect((await command.end('SIGTERM')).exitCode).toBe(0);
});

it('reports nothing without systemd', async () => {
  const { folder, command } = await startWith(record, {});
  expect((await command.end('SIGTERM')).exitCode).toBe(0);
  expect(existsSync(join(folder, 'notified'))).toBe(false);
});

it('serves all the same if that fails, and logs it', async () => {
  const { baseUrl, command } = await startWith('echo "no such socket" >&2; exit 1', unit);
  await command.waitFor(/"level":40,.*no such socket.*"msg":"systemd was not notified"/);
  expect((await fetch(`${baseUrl}/openapi.json`)).status).toBe(200);
});
