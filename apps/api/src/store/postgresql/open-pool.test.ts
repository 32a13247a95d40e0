import { randomInt } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { scopes } from '@plant-store/contract/access-token';
import { createDatabase, query } from '@plant-store/postgresql-server';
import { Registry } from '@prometheus-io/client';
import pg, { type Pool, type PoolClient } from 'pg';
import { afterEach, beforeAll, beforeEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { parseConfig } from '../../config.js';
import type { OpenOptions } from '../database.js';
import { openDatabase } from '../open-database.js';
import { endOneEveryMs, type WatchDependencies, watchConnections } from './open-pool.js';

let shared = '';
beforeAll(async () => {
  shared = await createDatabase(inject('postgresqlUrl'));
});

/** Opens the tables of a new schema, until the end of the test, on which SQL can be run. */
async function open(options: OpenOptions = {}) {
  const schema = `schema_${randomInt(2 ** 40)}`;
  const { database: location } = parseConfig({ DATABASE_URL: `${shared}?schema=${schema}` }, '/');
  const database = await openDatabase(location, options);
  onTestFinished(() => database.close());
  const run = (sql: string) => query(shared, `SET search_path = ${schema}; ${sql}`);
  return { ...database, schema, run };
}

const shop = { name: 'shop', scopes, expiresAt: null };

it.each([
  { configured: 'off', used: 'on' },
  { configured: 'local', used: 'local' },
  { configured: 'on', used: 'on' },
  { configured: 'remote_apply', used: 'remote_apply' },
])(
  'commits with synchronous_commit = $used when the server has $configured',
  async ({ configured, used }) => {
    await query(
      shared,
      `ALTER DATABASE ${new URL(shared).pathname.slice(1)} SET synchronous_commit = ${configured}`,
    );
    const { schema, run, plants, accessTokens } = await open();
    await run(
      `CREATE TABLE seen (name TEXT, setting TEXT);
     CREATE FUNCTION record() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN INSERT INTO seen VALUES (TG_TABLE_NAME, current_setting('synchronous_commit')); RETURN NEW; END $$;
     CREATE TRIGGER record BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION record();
     CREATE TRIGGER record BEFORE INSERT ON access_tokens FOR EACH ROW EXECUTE FUNCTION record()`,
    );
    await Promise.all(
      [...Array(30).keys()].flatMap<Promise<unknown>>((id) => [
        plants.create([{ id: BigInt(id), name: 'Monstera' }]),
        accessTokens.add({ ...shop, hash: String(id) }),
      ]),
    );
    const seen = await query(
      shared,
      `SELECT name, setting, count(*)::int FROM ${schema}.seen GROUP BY 1, 2 ORDER BY 1`,
    );
    expect(seen).toEqual(['access_tokens', 'plants'].map((name) => ({ name, setting: used, count: 30 })));
  },
);

it('no statement about tokens is in a client transaction, where a cancelled wait would go unnoticed', async () => {
  const { accessTokens } = await open();
  const sent = vi.spyOn(pg.Client.prototype, 'query');
  onTestFinished(() => sent.mockRestore());
  const token = { ...shop, hash: 'a', createdAt: new Date(), revokedAt: null, lastUsedAt: null };
  await accessTokens.takeOver(token);
  await accessTokens.takeOver({ ...token, revokedAt: new Date() });
  const { id } = await accessTokens.add({ ...shop, hash: 'b' });
  await accessTokens.revoke(id, new Date());
  await accessTokens.revoke(id, new Date());
  const statements = sent.mock.calls.map(([statement]) => JSON.stringify(statement));
  expect(statements.filter((text) => text.includes('UPDATE'))).not.toEqual([]);
  expect(statements.filter((text) => /BEGIN|COMMIT/.test(text))).toEqual([]);
});

it.each([
  ['no', 'the wait for a standby', `WARNING 'canceling wait'`, 'SyncRepWaitForLSN'],
  ['no', 'a commit that a node has only prepared', `WARNING 'x'`, 'FinishRemoteTransactionCommit'],
  ['no', 'a warning of a worker', `WARNING 'das Warten wird abgebrochen'`, 'DefaultCitusNoticeReceiver'],
  ['no', 'one with another code', `WARNING 'x' USING ERRCODE = '57P01'`, 'DefaultCitusNoticeReceiver'],
  ['a', 'information of a worker', `INFO 'vacuumed'`, 'DefaultCitusNoticeReceiver'],
  ['a', 'a warning of a trigger', `WARNING 'odd name'`, 'exec_stmt_raise'],
])('acknowledges %s plant after %s, and then works again', async (acknowledged, _, raise, routine) => {
  const { run, plants } = await open();
  await run(
    `CREATE FUNCTION notify() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE ${raise}; RETURN NEW; END $$;
     CREATE TRIGGER notify BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION notify()`,
  );
  const { emit } = pg.Client.prototype;
  const emitted = vi.spyOn(pg.Client.prototype, 'emit').mockImplementation(function emitChanged(
    this: pg.Client,
    event: string | symbol,
    ...values: unknown[]
  ) {
    const [value] = values;
    if (event === 'notice' && typeof value === 'object') Object.assign(value ?? {}, { routine });
    return Reflect.apply(emit, this, [event, ...values]);
  });
  onTestFinished(() => emitted.mockRestore());
  const create = (id: bigint) => plants.create([{ id, name: 'Monstera' }]);
  if (acknowledged === 'no') {
    await expect(create(1n)).rejects.toMatchObject({
      errorName: 'database_unavailable',
      cause: { message: expect.stringMatching(/^40003: /) },
    });
  } else {
    expect(await create(1n)).toEqual([{ stored: true }]);
  }
  await run('DROP TRIGGER notify ON plants');
  expect(await create(2n)).toEqual([{ stored: true }]);
});

it('measures its connections', async () => {
  const metrics = new Registry();
  const { plants } = await open({ metrics });
  const readValues = async () => {
    const values = (await metrics.metrics()).matchAll(
      /^plant_store_postgresql_(\w+)(?:\{state="(\w+)"\})? (\d+)$/gm,
    );
    return Object.fromEntries([...values].map(([, name, state = name, value]) => [state, Number(value)]));
  };
  expect(await readValues()).toEqual({ idle: 0, in_use: 0, waiting_queries: 0 });
  const inserts = [1n, 2n, 3n].map((id) => plants.create([{ id, name: 'Fern' }]));
  expect(await readValues()).toMatchObject({ in_use: 3 });
  await Promise.all(inserts);
  expect(await readValues()).toEqual({ idle: 3, in_use: 0, waiting_queries: 0 });
});

describe('the watch over connections', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const afterMs = 5_000;

  /** A watch over a pool whose connections the test acquires and releases; `ended` has the names of those it ended. */
  function createWatch(parts: Omit<WatchDependencies, 'afterMs'>) {
    const pool = new EventEmitter();
    const ended: string[] = [];
    const watch = watchConnections(pool as unknown as Pool, { afterMs, ...parts });
    function createConnection(name: string): PoolClient {
      const connection = {
        // Its query fails then, and the pool releases it.
        async end() {
          ended.push(name);
          pool.emit('release', new Error('ended'), connection);
        },
      };
      return connection as unknown as PoolClient;
    }
    return {
      watch,
      ended,
      begin(name: string) {
        const connection = createConnection(name);
        pool.emit('acquire', connection);
        return { connection, release: () => void pool.emit('release', undefined, connection) };
      },
    };
  }

  it('ends a connection whose query has timed out and whose backend is idle', async () => {
    const busy = new Set<PoolClient>();
    const { ended, begin } = createWatch({ findBusy: async () => busy });
    begin('silent');
    busy.add(begin('busy').connection);
    begin('released').release();
    await vi.advanceTimersByTimeAsync(afterMs);
    expect(ended).toEqual([]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(ended).toEqual(['silent']);
  });

  it('ends none while the backends cannot be checked', async () => {
    const { ended, begin } = createWatch({ findBusy: () => Promise.reject(new Error('no connection')) });
    begin('silent');
    await vi.advanceTimersByTimeAsync(10 * endOneEveryMs);
    expect(ended).toEqual([]);
  });

  it('does not end one that was released by the time that the backends are checked', async () => {
    const answer = Promise.withResolvers<ReadonlySet<PoolClient>>();
    const { ended, begin } = createWatch({ findBusy: () => answer.promise });
    const { release } = begin('slow');
    await vi.advanceTimersByTimeAsync(afterMs + 1_000);
    release();
    answer.resolve(new Set());
    await vi.advanceTimersByTimeAsync(0);
    expect(ended).toEqual([]);
  });

  it('ends the oldest one each minute where backends cannot be checked, or none at all', async () => {
    const pooled = createWatch({ endOldest: true });
    const few = createWatch({});
    for (const { begin } of [pooled, few]) for (const name of ['first', 'second', 'third']) begin(name);
    await vi.advanceTimersByTimeAsync(endOneEveryMs - 1);
    expect(pooled.ended).toEqual([]);
    await vi.advanceTimersByTimeAsync(1_001);
    expect(pooled.ended).toEqual(['first']);
    await vi.advanceTimersByTimeAsync(endOneEveryMs - 1_001);
    expect(pooled.ended).toHaveLength(1);
    expect(few.ended).toEqual([]);
  });

  it('ends all that have timed out once the pool closes', async () => {
    const { watch, ended, begin } = createWatch({});
    begin('first');
    await vi.advanceTimersByTimeAsync(afterMs);
    begin('second');
    watch.beginClosing();
    await vi.advanceTimersByTimeAsync(200);
    expect(ended).toEqual(['first']);
    await vi.advanceTimersByTimeAsync(afterMs);
    expect(ended).toEqual(['first', 'second']);
    watch.stop();
  });
});
