import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@plant-store/client';
import { errors } from '@plant-store/contract/errors';
import { query } from '@plant-store/postgresql-server';
import { expect, it } from 'vitest';
import { createDatabaseBehindProxy } from '../support/postgresql/start-proxy.js';
import { startLoad } from '../support/process/steady-load.js';
import { startTestService } from '../support/start-test-service.js';
import { slackMs, untilStatus } from '../support/until.js';

const statementTimeoutMs = 500;
/** The longest time that a create may take while the database is silent: the statement timeout and a second. */
const replyTimeoutMs = statementTimeoutMs + 1_000;
/** The longest time until the service stores plants again once PostgreSQL answers. */
const recoveryMs = 5_000;
const shutdownTimeoutMs = 200;
/** The longest time that the service waits for a connection, and longer than for a statement. */
const databaseTimeoutMs = 3_000;

/** Starts a service that accesses its database through a proxy. */
async function startBehindProxy() {
  const { databaseUrl, proxiedUrl, proxy } = await createDatabaseBehindProxy();
  const service = await startTestService({
    DATABASE_URL: proxiedUrl,
    DATABASE_STATEMENT_TIMEOUT_MS: String(statementTimeoutMs),
    SHUTDOWN_TIMEOUT_MS: String(shutdownTimeoutMs),
    ADMIN_PORT: '0',
  });
  const { baseUrl, token } = service;
  const client = createClient({ baseUrl, token, retries: 0, attemptTimeoutMs: 30_000 });
  const create = (id: number) => client.createPlant({ body: { id, name: `Monstera ${id}` } });
  return { ...service, proxy, databaseUrl, create };
}

it('rejects creates in time while PostgreSQL is silent, and recovers by itself', async () => {
  const service = await startBehindProxy();
  const { adminUrl, proxy, databaseUrl } = service;
  const load = startLoad(service, { replyTimeoutMs: replyTimeoutMs + slackMs });
  await load.acknowledgements(20);

  proxy.freeze();
  // Some of these waited for an existing connection, and some for a new one.
  await Promise.all([load.rejections(24), untilStatus(`${adminUrl}/readyz`, 503)]);
  expect((await fetch(`${adminUrl}/livez`)).status).toBe(200);

  proxy.thaw();
  const thawedAt = performance.now();
  await load.acknowledgements(1);
  await untilStatus(`${adminUrl}/readyz`, 200);
  expect(performance.now() - thawedAt).toBeLessThan(recoveryMs + slackMs);
  await load.end();
  expect(load.unexpected).toEqual([]);
  const rows = await query<{ id: string; name: string }>(databaseUrl, 'SELECT id, name FROM plants');
  expect(load.acknowledged).toEqual(new Map(rows.map(({ id, name }) => [Number(id), new Set([name])])));
});

it('does not acknowledge a plant whose commit was not confirmed, and replays it on a retry', async () => {
  const { create, proxy, databaseUrl } = await startBehindProxy();
  expect((await create(1)).status).toBe(200);

  proxy.freezeAnswersTo('Monstera 2');
  const sentAt = performance.now();
  const rejected = await create(2);
  expect(performance.now() - sentAt).toBeLessThan(replyTimeoutMs + slackMs);
  expect(rejected).toMatchObject({ status: 503, body: { error: errors.database_unavailable.error } });
  expect(await query(databaseUrl, 'SELECT id FROM plants WHERE id = 2')).toHaveLength(1);

  proxy.thaw();
  expect(await create(2)).toMatchObject({ status: 200, replayed: true });
  expect(await create(3)).toMatchObject({ status: 200, replayed: false });
});

it.each(['down', 'silent'])(
  'stops in time while PostgreSQL is %s and creates are in flight',
  async (failure) => {
    const { create, proxy, stop } = await startBehindProxy();
    expect((await create(0)).status).toBe(200);
    if (failure === 'down') proxy.stop();
    else proxy.freeze();
    const creates = [1, 2, 3].map(create);
    const replies = Promise.allSettled(creates);
    await sleep(100);
    const stoppedAt = performance.now();
    await stop();
    expect(performance.now() - stoppedAt).toBeLessThan(shutdownTimeoutMs + databaseTimeoutMs + slackMs);
    for (const reply of await replies) if (reply.status === 'fulfilled') expect(reply.value.status).toBe(503);
  },
);
