import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { findFreePort } from '@plant-store/postgresql-server';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type ServerWithStandby, startWithStandby } from '../support/postgresql/start-with-standby.js';
import { openFullPipe } from '../support/process/open-full-pipe.js';
import { issueToken, main } from '../support/process/run-command.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { slackMs, until } from '../support/until.js';

const shutdownTimeoutMs = 200;
/** The longest time that a stop may take, as documented in docs/operate/deploy.md. */
const stopTimeouts = { 1: shutdownTimeoutMs + 2_000, 2: shutdownTimeoutMs + 3_000 };

let server: ServerWithStandby;
beforeAll(async () => {
  server = await startWithStandby();
});
afterAll(() => server.remove());

it.each([1, 2] as const)(
  'exits in time with status 0 while a commit, a request on the admin port and its output hang, workers: %i',
  async (workers) => {
    const [port, adminPort] = [await findFreePort(), await findFreePort()];
    const folder = temporaryFolder();
    const environment = {
      PORT: String(port),
      ADMIN_PORT: String(adminPort),
      DATABASE_URL: server.url,
      WORKERS: String(workers),
      DATABASE_STATEMENT_TIMEOUT_MS: '60000',
      SHUTDOWN_TIMEOUT_MS: String(shutdownTimeoutMs),
      // With an admin port it is 5 seconds by default.
      DRAIN_DELAY_MS: '0',
    };
    const token = await issueToken({ folder, environment });

    const child = spawn(process.execPath, [main, 'serve'], {
      cwd: folder,
      env: environment,
      stdio: ['ignore', openFullPipe().writer, 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const baseUrl = `http://127.0.0.1:${port}`;
    await until(() => fetch(baseUrl).catch(() => undefined));
    // Workers answer before the primary process listens on the admin port.
    await until(() => fetch(`http://127.0.0.1:${adminPort}/livez`).catch(() => undefined));

    await server.loseStandby();
    onTestFinished(() => server.restoreStandby());
    // A plant that is stored already would be another case.
    const creates = [1, 2, 3].map((id) =>
      fetch(`${baseUrl}/plants`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ id: 10 * workers + id, name: 'Monstera' }),
      }).catch(() => 'disconnected'),
    );
    await server.untilWaiting(1);
    const admin = connect(adminPort, '127.0.0.1').on('error', () => undefined);
    await once(admin, 'connect');
    admin.write('GET /livez HTTP/1.1\r\nHost: ');

    const ended = once(child, 'close');
    const signalledAt = performance.now();
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(performance.now() - signalledAt).toBeLessThan(stopTimeouts[workers] + slackMs);
    expect(await Promise.all(creates)).toEqual(['disconnected', 'disconnected', 'disconnected']);
  },
);
