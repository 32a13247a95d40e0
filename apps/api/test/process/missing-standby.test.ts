import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { scopes } from '@plant-store/contract/access-token';
import { createDatabase, findFreePort, query } from '@plant-store/postgresql-server';
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../src/config.js';
import { operator } from '../../src/runtime/operator.js';
import { openTestDatabase, withTimeouts } from '../support/database/create-test-database.js';
import { examine, expectFound } from '../support/examine.js';
import { expectError } from '../support/expect-error.js';
import { postPlant } from '../support/post-plant.js';
import { startPostgresql } from '../support/postgresql/start-postgresql.js';
import { openFullPipe } from '../support/process/open-full-pipe.js';
import { issueToken, main } from '../support/process/run-command.js';
import { startTestService } from '../support/start-test-service.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { slackMs, until } from '../support/until.js';

/** The function of PostgreSQL that ends a backend which waits for the standby, or only its statement. */
type EndOfWaiting = 'pg_terminate_backend' | 'pg_cancel_backend';

/** Starts a separate PostgreSQL server, whose commits can be made to wait for a missing synchronous standby. */
async function startWithStandby() {
  const server = await startPostgresql();
  const administer = <Row extends object>(sql: string) => query<Row>(`${server.url}/postgres`, sql);

  async function setStandbys(names: string): Promise<void> {
    await administer(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
    await administer('SELECT pg_reload_conf()');
    const current = async () =>
      (await administer<{ synchronous_standby_names: string }>('SHOW synchronous_standby_names'))[0];
    while ((await current())?.synchronous_standby_names !== names) await sleep(10);
  }

  /** Counts the backends of the service, and those of them that wait for the standby. */
  async function countBackends() {
    const [counts] = await administer<{ all: number; waiting: number }>(
      `SELECT count(*)::int AS all, count(*) FILTER (WHERE wait_event = 'SyncRep')::int AS waiting
       FROM pg_stat_activity WHERE application_name = 'plant-store'`,
    );
    return counts ?? { all: 0, waiting: 0 };
  }

  return {
    /** The URI of a database on it. */
    url: await createDatabase(server.url),
    /** Makes commits wait for a standby that does not exist. */
    loseStandby: () => setStandbys('missing'),
    /** Stops commits from waiting, including those that already wait. */
    restoreStandby: () => setStandbys(''),
    countBackends,
    /** Resolves once this many backends of the service wait for the standby. */
    async untilWaiting(count: number): Promise<void> {
      while ((await countBackends()).waiting < count) await sleep(20);
    },
    /** Ends the backends that wait for the standby, as a crash would: their commits exist only on this server. */
    async endWaiting(how: EndOfWaiting = 'pg_terminate_backend'): Promise<void> {
      // Those of now: the next batch may wait already when these have ended, even in the same backend.
      const waiting = "SELECT pid, xact_start FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
      const find = (columns: string) =>
        administer<{ key: string }>(`SELECT waiting::text AS key${columns} FROM (${waiting}) AS waiting`);
      const ended = new Set((await find(`, ${how}(pid)`)).map(({ key }) => key));
      const areWaiting = async () => (await find('')).some(({ key }) => ended.has(key));
      while (await areWaiting()) await sleep(20);
    },
    remove: server.remove,
  };
}

const poolSize = 8;

let server: Awaited<ReturnType<typeof startWithStandby>>;
beforeAll(async () => {
  server = await startWithStandby();
});
afterEach(() => server.restoreStandby());
afterAll(() => server.remove());

function start(statementTimeoutMs: string, change?: (config: Config) => Config) {
  const timeouts = { DATABASE_STATEMENT_TIMEOUT_MS: statementTimeoutMs };
  const settings = { DATABASE_URL: server.url, DATABASE_POOL_SIZE: `${poolSize}`, ADMIN_PORT: '0' };
  return startTestService({ ...settings, ...timeouts }, change);
}

/** So long that the service does not give up before the test has seen a commit wait, and ended that. */
const longTimeoutMs = '60000';

async function open() {
  const settings = { DATABASE_STATEMENT_TIMEOUT_MS: longTimeoutMs };
  const database = await openTestDatabase({ url: server.url }, settings);
  onTestFinished(() => database.close());
  return database;
}

/** Resolves as an action does that waits for the standby, whose waiting the test ends until it has resolved. */
async function endWaitingOf<Result>(action: Promise<Result>, how?: EndOfWaiting): Promise<Result> {
  let waits = 0;
  let resolved = false;
  const ended = action.finally(() => {
    resolved = true;
  });
  ended.catch(() => undefined);
  while (!resolved) {
    const { waiting } = await server.countBackends();
    waits += waiting;
    if (waiting > 0) await server.endWaiting(how);
    else await sleep(20);
  }
  expect(waits).toBeGreaterThan(0);
  return ended;
}

const unavailable = /^The database is not responding\. Try again in 1 second\.$/;

it.each<EndOfWaiting>(['pg_terminate_backend', 'pg_cancel_backend'])(
  'a plant whose commit waits for a standby until %s is not acknowledged before it has reached it',
  async (how) => {
    const id = how === 'pg_cancel_backend' ? 20 : 10;
    const service = await start(longTimeoutMs);
    const plant = { id, name: 'Monstera' };
    await server.loseStandby();
    const post = (body: object) => postPlant(service, body).then((reply) => reply);
    expectError(await endWaitingOf(post(plant), how), 'database_unavailable', unavailable);
    expect(await query(server.url, `SELECT id FROM plants WHERE id = ${id}`)).toHaveLength(1);

    const again = [plant, plant, { ...plant, name: 'Fern' }].map(post);
    for (const reply of await endWaitingOf(Promise.all(again), how))
      expectError(reply, 'database_unavailable', unavailable);
    await server.restoreStandby();
    const { status, headers } = await post(plant);
    expect([status, headers['idempotent-replayed']]).toEqual([200, 'true']);
    expectError(await post({ ...plant, name: 'Fern' }), 'id_taken', 'already exists with different values');
  },
);

it.each<EndOfWaiting>(['pg_terminate_backend', 'pg_cancel_backend'])(
  'plants are not listed, nor their tags counted, before they have reached a standby, though %s ends the wait for it',
  async (how) => {
    const plants = (await open()).stores.plant;
    const id = how === 'pg_cancel_backend' ? 40n : 30n;
    const tag = `it's \\ ${how}`;
    await plants.create([{ id, name: 'Monstera', tag }]);
    const list = () => plants.list({ order: 'id' }, { matches: 10, bytes: 1_000 });
    // Just before the tag, so that its plants are counted first.
    const count = () => plants.countValues('tag', tag.slice(0, -1), 1);
    await server.loseStandby();
    for (const read of [list, count])
      await expect(endWaitingOf<unknown>(read(), how)).rejects.toMatchObject({
        errorName: 'database_unavailable',
      });
    await server.restoreStandby();
    expect((await list()).records.map((plant) => plant.id)).toContain(id);
    expect((await count()).counts).toEqual([[tag, 1]]);
  },
);

it('a token or a revocation that has not reached a standby is not reported as existing', async () => {
  const { accessTokens } = await open();
  const times = { createdAt: new Date(), expiresAt: null, revokedAt: null, lastUsedAt: null };
  const token = { name: 'shop', hash: 'a', scopes, ...times };
  /** Runs an action while the standby is missing, and retries it once only the primary has its result. */
  async function doTwice(action: () => Promise<unknown>) {
    await server.loseStandby();
    for (let time = 1; time <= 2; time++)
      await expect(endWaitingOf(action())).rejects.toMatchObject({ errorName: 'database_unavailable' });
    await server.restoreStandby();
  }
  await doTwice(() => accessTokens.importToken(token, operator()));
  expect(await accessTokens.importToken(token, operator())).toBe(false);
  const id = (await accessTokens.findByHash('a'))?.id ?? 0;
  const revokedAt = new Date();
  await doTwice(() => accessTokens.revoke(id, revokedAt));
  expect(await accessTokens.revoke(id, new Date())).toMatchObject({ revokedAt });
});

it('when tokens were used is stored without waiting for a standby', async () => {
  const { accessTokens } = await open();
  const { id } = await accessTokens.add({ name: 'shop', hash: 'b', scopes, expiresAt: null }, operator());
  const at = new Date('2026-03-04T05:06:07.890Z');
  await server.loseStandby();
  await accessTokens.recordUses([{ id, at }]);
  expect(await accessTokens.findByHash('b')).toMatchObject({ lastUsedAt: at });
});

const shorten = (by: Config) => ({ ...withTimeouts(by, { queryMarginMs: 100 }), failingAfterMs: 500 });

it('opens no more connections than the pool size, however many creates it aborts', async () => {
  // The backends of earlier tests may end a moment later.
  await until(async () => (await server.countBackends()).all === 0);
  const service = await start('200', shorten);
  await server.loseStandby();
  const statuses: number[] = [];
  let most = 0;
  let done = false;
  const sending = Promise.all(
    Array.from({ length: 6 }, async (_, sender) => {
      for (let count = 0; count < 5; count++) {
        const reply = await postPlant(service, { id: 1_000 + sender * 100 + count, name: 'Monstera' });
        statuses.push(reply.status);
      }
    }),
  ).finally(() => {
    done = true;
  });
  while (!done) {
    most = Math.max(most, (await server.countBackends()).all);
    await sleep(50);
  }
  await sending;
  expect(new Set(statuses)).toEqual(new Set([503]));
  expect(most).toBeLessThanOrEqual(poolSize);
  await server.restoreStandby();
  await until(async () => (await postPlant(service, { id: 2_000, name: 'Monstera' })).status === 200);
});

it('is not ready while creates fail, and recovers without one', async () => {
  const service = await start('200', shorten);
  const readiness = async () => (await fetch(`${service.adminUrl}/readyz`)).status;
  // A check may exceed the short timeout.
  await until(async () => (await readiness()) === 200);
  await server.loseStandby();
  for (let id = 3_000; (await readiness()) === 200; id++)
    expect((await postPlant(service, { id, name: 'Monstera' })).status).toBe(503);
  // Its trial commits use one connection, however often readiness is checked. Those of the creates end by themselves.
  let checks = 0;
  await until(async () => {
    expect(await readiness()).toBe(503);
    await sleep(600);
    return ++checks >= 4 && (await server.countBackends()).all < 6;
  });
  await server.restoreStandby();
  await until(async () => (await readiness()) === 200);
});

it('plant-store check reports it, and a server that waits for its disk', async () => {
  await (await openTestDatabase({ url: server.url })).close();
  const settings = { DATABASE_URL: server.url };
  expectFound(await examine(settings), { durability: 'ok: fsync and full_page_writes are on' });
  await server.loseStandby();
  expectFound(await examine({ ...settings, DATABASE_STATEMENT_TIMEOUT_MS: '300' }), {
    standby: /synchronous_standby_names is "missing"/,
    commit: /^error: a commit was not acknowledged: Query read timeout/,
  });
});

const shutdownTimeoutMs = 200;
/** The longest time that a stop may take, as documented in docs/operate/deploy.md. */
const stopTimeouts = { 1: shutdownTimeoutMs + 2_000, 2: shutdownTimeoutMs + 3_000 };

it.each([1, 2] as const)(
  'it exits in time with status 0 while a commit, a request on the admin port and its output hang, workers: %i',
  async (workers) => {
    const [port, adminPort] = [await findFreePort(), await findFreePort()];
    const folder = temporaryFolder();
    const environment = {
      PORT: String(port),
      ADMIN_PORT: String(adminPort),
      DATABASE_URL: server.url,
      WORKERS: String(workers),
      DATABASE_STATEMENT_TIMEOUT_MS: longTimeoutMs,
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
    // Workers answer before the primary process listens on the admin port.
    for (const url of [baseUrl, `http://127.0.0.1:${adminPort}/livez`])
      await until(() => fetch(url).catch(() => undefined));

    await server.loseStandby();
    // A plant that is stored already would be another case.
    const creates = [1, 2, 3].map((id) =>
      postPlant({ baseUrl, token }, { id: 10_000 * workers + id, name: 'Fern' }).catch(() => 'disconnected'),
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
