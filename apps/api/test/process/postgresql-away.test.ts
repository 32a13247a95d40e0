import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@plant-store/client';
import { expect, it } from 'vitest';
import { createDatabaseBehindProxy } from '../support/postgresql/create-database-behind-proxy.js';
import { runCommand, startServe } from '../support/process/run-command.js';
import { temporaryFolder } from '../support/process/temporary-folder.js';

/** How the database is away: connections are cut and refused, or taken and never answered. */
const ways = ['gone', 'silent'] as const;
const shutdownTimeoutMs = 1_000;
/** After how long the service gives up a statement or a connection that is under way, in milliseconds. */
const giveUpMs = 3_000;
/** How much later than promised it may end on a busy machine, in milliseconds. */
const slackMs = 2_000;

/** A new database that can go away, behind a proxy. */
async function createFrailDatabase() {
  const { databaseUrl, proxiedUrl, proxy } = await createDatabaseBehindProxy();
  const call = {
    folder: temporaryFolder(),
    environment: {
      PORT: '0',
      DATABASE_URL: proxiedUrl,
      DATABASE_STATEMENT_TIMEOUT_MS: String(giveUpMs - 1_000),
      SHUTDOWN_TIMEOUT_MS: String(shutdownTimeoutMs),
    },
  };
  const goAway = (way: (typeof ways)[number]) => (way === 'gone' ? proxy.stop() : proxy.freeze());
  return { call, goAway, address: `${new URL(databaseUrl).pathname.slice(1)} on 127.0.0.1:${proxy.port}` };
}

it.each(ways)('does not start while PostgreSQL is %s, and says what to do', async (way) => {
  const { call, goAway, address } = await createFrailDatabase();
  goAway(way);
  const { exitCode, stdout, stderr } = await runCommand(['serve'], call);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toContain(`plant-store: The database ${address} cannot be opened: `);
  expect(stderr).toContain('\nSet DATABASE_URL to a running PostgreSQL database, ');
  expect(stderr).not.toContain(new URL(call.environment.DATABASE_URL).password);
});

it.each([
  ['gone', 0],
  ['gone', 3],
  ['silent', 0],
  ['silent', 3],
] as const)('stops in time while PostgreSQL is %s and %i creates are under way', async (way, count) => {
  const { call, goAway } = await createFrailDatabase();
  const token = (await runCommand(['token', 'create', '--name', 'test'], call)).stdout.trim();
  const { command, baseUrl } = await startServe(call);
  const client = createClient({ baseUrl, token, retries: 0 });
  const create = (id: number) => client.createPlant({ body: { id, name: 'Monstera' } });
  expect((await create(0)).status).toBe(200);

  goAway(way);
  const creates = Array.from({ length: count }, (_, index) => create(index + 1));
  const replies = Promise.allSettled(creates);
  await sleep(100);
  const toldAt = performance.now();
  const { exitCode, stderr } = await command.end('SIGTERM');
  expect(performance.now() - toldAt).toBeLessThan(shutdownTimeoutMs + giveUpMs + slackMs);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  for (const reply of await replies) {
    if (reply.status === 'fulfilled') expect(reply.value.status).toBe(503);
  }
});
