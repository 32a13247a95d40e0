import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@plant-store/client';
import { expect, it } from 'vitest';
import { createDatabaseBehindProxy } from '../support/postgresql/start-proxy.js';
import { issueToken, runCommand, startServe } from '../support/process/run-command.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { slackMs } from '../support/until.js';

/** How the database fails: connections are closed and refused, or accepted and never answered. */
type Failure = 'down' | 'silent';
const shutdownTimeoutMs = 200;
/** The longest time that the service waits for a connection, and longer than for a statement. */
const databaseTimeoutMs = 3_000;

/** Creates a database that can fail, behind a proxy. */
async function createFailingDatabase() {
  const { databaseUrl, proxiedUrl, proxy } = await createDatabaseBehindProxy();
  const call = {
    folder: temporaryFolder(),
    environment: {
      PORT: '0',
      DATABASE_URL: proxiedUrl,
      DATABASE_STATEMENT_TIMEOUT_MS: '300',
      SHUTDOWN_TIMEOUT_MS: String(shutdownTimeoutMs),
    },
  };
  const fail = (failure: Failure) => (failure === 'down' ? proxy.stop() : proxy.freeze());
  return { call, fail, address: `${new URL(databaseUrl).pathname.slice(1)} on 127.0.0.1:${proxy.port}` };
}

it('does not start while PostgreSQL is down, and prints what to do', async () => {
  const { call, fail, address } = await createFailingDatabase();
  fail('down');
  const { exitCode, stdout, stderr } = await runCommand(['serve'], call);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toContain(`plant-store: The database ${address} cannot be opened: `);
  expect(stderr).toContain('\nSet DATABASE_URL to a running PostgreSQL database, ');
  expect(stderr).not.toContain(new URL(call.environment.DATABASE_URL).password);
});

it.each([
  ['down', 0],
  ['down', 3],
  ['silent', 0],
  ['silent', 3],
] as const)('stops in time while PostgreSQL is %s and %i creates are in flight', async (failure, count) => {
  const { call, fail } = await createFailingDatabase();
  const token = await issueToken(call);
  const { command, baseUrl } = await startServe(call);
  const client = createClient({ baseUrl, token, retries: 0 });
  const create = (id: number) => client.createPlant({ body: { id, name: 'Monstera' } });
  expect((await create(0)).status).toBe(200);

  fail(failure);
  const creates = Array.from({ length: count }, (_, index) => create(index + 1));
  const replies = Promise.allSettled(creates);
  await sleep(100);
  const signalledAt = performance.now();
  const { exitCode, stderr } = await command.end('SIGTERM');
  expect(performance.now() - signalledAt).toBeLessThan(shutdownTimeoutMs + databaseTimeoutMs + slackMs);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  for (const reply of await replies) {
    if (reply.status === 'fulfilled') expect(reply.value.status).toBe(503);
  }
});
