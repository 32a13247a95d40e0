import { EventEmitter } from 'node:events';
import { scopes } from '@plant-store/contract/access-token';
import { createDatabase, query } from '@plant-store/postgresql-server';
import { Registry } from '@prometheus-io/client';
import pg, { type Pool, type PoolClient } from 'pg';
import { afterEach, beforeAll, beforeEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { onInsert } from '../../../test/support/postgresql/use-connections.js';
import { parseConfig } from '../../config.js';
import { operator } from '../../runtime/operator.js';
import type { OpenOptions } from '../database.js';
import { openDatabase } from '../open-database.js';
import { endOneEveryMs, type WatchDependencies, watchConnections } from './open-pool.js';

let url = '';
beforeAll(async () => {
  url = await createDatabase(inject('postgresqlUrl'));
});

/** Opens the database, which has no plants and tokens, until the end of the test. */
async function open(options: OpenOptions = {}) {
  const database = await openDatabase(parseConfig({ DATABASE_URL: url }, '/').database, options);
  onTestFinished(() => database.close());
  await query(url, 'TRUNCATE plants, access_tokens');
  const create = (id: number) => database.stores.plant.create([{ id: BigInt(id), name: 'Monstera' }]);
  return { accessTokens: database.accessTokens, create };
}

const shop = { name: 'shop', scopes, expiresAt: null };

it.each([
  { configured: 'off', used: 'on' },
  { configured: 'local', used: 'local' },
  { configured: 'on', used: 'on' },
  { configured: 'remote_apply', used: 'remote_apply' },
])('commits with synchronous_commit = $used when the server has $configured', async (setting) => {
  const name = new URL(url).pathname.slice(1);
  await query(url, `ALTER DATABASE ${name} SET synchronous_commit = ${setting.configured}`);
  const { accessTokens, create } = await open();
  const keep = `ADD COLUMN IF NOT EXISTS setting TEXT DEFAULT current_setting('synchronous_commit')`;
  await query(url, `ALTER TABLE plants ${keep}; ALTER TABLE access_tokens ${keep}`);
  // On all connections.
  const ids = [...Array(30).keys()];
  const adding = ids.map((id) => accessTokens.add({ ...shop, hash: String(id) }, operator()));
  await Promise.all([...ids.map(create), ...adding]);
  const rows = 'SELECT setting FROM plants UNION ALL SELECT setting FROM access_tokens';
  const used = await query(url, `SELECT setting, count(*)::int FROM (${rows}) AS both_tables GROUP BY 1`);
  expect(used).toEqual([{ setting: setting.used, count: 2 * ids.length }]);
});

/** Makes notices of the server seem to be from one of its functions. */
function reportBy(routine: string): void {
  const { emit } = pg.Client.prototype;
  const emitted = vi.spyOn(pg.Client.prototype, 'emit').mockImplementation(function emitChanged(
    this: pg.Client,
    event: string | symbol,
    ...values: unknown[]
  ) {
    if (event === 'notice') Object.assign(values[0] ?? {}, { routine });
    return Reflect.apply(emit, this, [event, ...values]);
  });
  onTestFinished(() => emitted.mockRestore());
}

it('acknowledges no token whose commit did not wait for a standby, and then works again', async () => {
  const { accessTokens } = await open();
  await query(
    url,
    `CREATE FUNCTION act() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'cancelled'; RETURN NEW; END $$;
     CREATE CONSTRAINT TRIGGER act AFTER INSERT ON audit DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION act()`,
  );
  reportBy('SyncRepWaitForLSN');
  await expect(accessTokens.add({ ...shop, hash: 'a' }, operator())).rejects.toMatchObject({
    errorName: 'database_unavailable',
    cause: { message: '40003: cancelled' },
  });
  await query(url, 'DROP FUNCTION act CASCADE');
  expect(await accessTokens.add({ ...shop, hash: 'b' }, operator())).toMatchObject({ name: 'shop' });
});

it.each([
  ['no', 'the wait for a standby', `WARNING 'canceling wait'`, 'SyncRepWaitForLSN'],
  ['no', 'a commit that a node has only prepared', `WARNING 'x'`, 'FinishRemoteTransactionCommit'],
  ['no', 'a warning of a worker', `WARNING 'das Warten wird abgebrochen'`, 'DefaultCitusNoticeReceiver'],
  ['no', 'one with another code', `WARNING 'x' USING ERRCODE = '57P01'`, 'DefaultCitusNoticeReceiver'],
  ['a', 'information of a worker', `INFO 'vacuumed'`, 'DefaultCitusNoticeReceiver'],
  ['a', 'a warning of a trigger', `WARNING 'odd name'`, 'exec_stmt_raise'],
])('acknowledges %s plant after %s, and then works again', async (acknowledged, _, raise, routine) => {
  const { create } = await open();
  await query(url, onInsert(`RAISE ${raise}`));
  reportBy(routine);
  if (acknowledged === 'a') {
    expect(await create(1)).toMatchObject([{ stored: true }]);
  } else {
    await expect(create(1)).rejects.toMatchObject({
      errorName: 'database_unavailable',
      cause: { message: expect.stringMatching(/^40003: /) },
    });
  }
  await query(url, 'DROP FUNCTION act CASCADE');
  expect(await create(2)).toMatchObject([{ stored: true }]);
});

it('measures its connections', async () => {
  const metrics = new Registry();
  const { create } = await open({ metrics });
  const readValues = async () => {
    const line = /^plant_store_postgresql_(\w+)(?:\{state="(\w+)"\})? (\d+)$/gm;
    const values = (await metrics.metrics()).matchAll(line);
    return Object.fromEntries([...values].map(([, name, state = name, value]) => [state, Number(value)]));
  };
  expect(await readValues()).toEqual({ idle: 0, in_use: 0, waiting_queries: 0 });
  const inserts = [1, 2, 3].map(create);
  expect(await readValues()).toMatchObject({ in_use: 3 });
  await Promise.all(inserts);
  expect(await readValues()).toEqual({ idle: 3, in_use: 0, waiting_queries: 0 });
});

describe('the watch over connections', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const afterMs = 5_000;

  /** A watch over a pool whose connections the test acquires and releases, some at once. */
  function createWatch(parts: Omit<WatchDependencies, 'afterMs'>, ...names: readonly string[]) {
    const pool = new EventEmitter();
    const ended: string[] = [];
    const watch = watchConnections(pool as unknown as Pool, { afterMs, ...parts });
    function begin(name: string): PoolClient {
      const connection = {
        // Its query fails then, and the pool releases it.
        async end() {
          ended.push(name);
          release(connection as unknown as PoolClient);
        },
      };
      pool.emit('acquire', connection);
      return connection as unknown as PoolClient;
    }
    const release = (connection: PoolClient) => void pool.emit('release', undefined, connection);
    for (const name of names) begin(name);
    /** The names of those that it has ended so much later. */
    async function endedAfter(ms: number) {
      await vi.advanceTimersByTimeAsync(ms);
      return ended;
    }
    return { watch, begin, release, endedAfter };
  }

  it('ends a connection whose query has timed out and whose backend is idle, unless it is released first', async () => {
    const busy = new Set<PoolClient>();
    const { endedAfter, begin, release } = createWatch({ findBusy: async () => busy }, 'silent');
    busy.add(begin('working'));
    const slow = begin('slow');
    expect(await endedAfter(afterMs)).toEqual([]);
    vi.advanceTimersByTime(1_000);
    release(slow);
    expect(await endedAfter(0)).toEqual(['silent']);
  });

  it('ends the oldest one each minute where backends cannot be checked, or none at all', async () => {
    const pooled = createWatch({ endOldest: true }, 'first', 'second', 'third');
    const few = createWatch({}, 'first', 'second', 'third');
    expect(await pooled.endedAfter(endOneEveryMs - 1)).toEqual([]);
    expect(await pooled.endedAfter(1_001)).toEqual(['first']);
    expect(await pooled.endedAfter(endOneEveryMs - 1_001)).toHaveLength(1);
    expect(await few.endedAfter(0)).toEqual([]);
  });

  it('ends all that have timed out once the pool closes', async () => {
    const { watch, endedAfter, begin } = createWatch({}, 'first');
    await endedAfter(afterMs);
    begin('second');
    watch.beginClosing();
    expect(await endedAfter(200)).toEqual(['first']);
    expect(await endedAfter(afterMs)).toEqual(['first', 'second']);
    watch.stop();
  });
});
