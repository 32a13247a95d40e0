import { createDatabase, query } from '@plant-store/postgresql-server';
import { isTombstone } from '@plant-store/records';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { collect } from '../../../test/support/collect.js';
import { openTestDatabase } from '../../../test/support/database/create-test-database.js';
import type { PlantRecord } from '../../../test/support/plants/plants-of.js';
import { startProxy } from '../../../test/support/postgresql/start-proxy.js';
import { onInsert } from '../../../test/support/postgresql/use-connections.js';
import { until } from '../../../test/support/until.js';
import type { Database } from '../database.js';
import { conflictDelayMs, maxAttempts, retryConflicts } from './run-query.js';

const unavailable = (cause: RegExp) => ({
  errorName: 'database_unavailable',
  headers: { 'Retry-After': '1' },
  cause: { message: expect.stringMatching(cause) },
});

let url = '';
let database: Database;
beforeAll(async () => {
  url = await createDatabase(inject('postgresqlUrl'));
  database = await openTestDatabase({ url });
});
afterEach(() =>
  query(url, 'DROP FUNCTION IF EXISTS act CASCADE; DROP SEQUENCE IF EXISTS attempts; DELETE FROM plants'),
);
afterAll(() => database.close());

const insert = ({ stores: { plant: plants } } = database, id = 1n, name = 'Monstera') =>
  plants.create([{ id, name }]);

/** Makes the server run an action whenever a plant is inserted, or changed, which may count the attempts. */
const doOnInsert = (action: string, event?: 'UPDATE') =>
  query(url, `CREATE SEQUENCE attempts; ${onInsert(action, event)}`);
const countAttempts = async () =>
  Number((await query<{ attempts: string }>(url, `SELECT nextval('attempts') - 1 AS attempts`))[0]?.attempts);

// A serialization failure, and a deadlock.
it.each(['40001', '40P01'])('the error %s is retried', async (code) => {
  const fail = `RAISE EXCEPTION 'in the way' USING ERRCODE = '${code}'`;
  await doOnInsert(`IF nextval('attempts') < 4 THEN ${fail}; END IF`);
  expect(await insert()).toMatchObject([{ stored: true }]);
  expect(await countAttempts()).toBe(4);
});

it('a change that is retried after a conflict changes nothing twice', async () => {
  await insert(database, 1n, 'Fern');
  await doOnInsert(
    `IF nextval('attempts') = 2 THEN RAISE EXCEPTION 'in the way' USING ERRCODE = '40001'; END IF`,
    'UPDATE',
  );
  const appended = ['a', 'b'].map((text) => ({
    id: 1n,
    bytes: 1,
    replace: (plant: PlantRecord | undefined) =>
      plant === undefined || isTombstone(plant) ? undefined : { ...plant, name: plant.name + text },
  }));
  const names = [
    ['Fern', 'Ferna'],
    ['Ferna', 'Fernab'],
  ];
  const outcomes = names.map(([before, after]) => ({ before: { name: before }, after: { name: after } }));
  expect(await database.stores.plant.change(appended)).toMatchObject(outcomes);
  expect(await countAttempts()).toBe(3);
});

it('an error that is retried is an outage if it persists', async () => {
  await doOnInsert(`PERFORM nextval('attempts'); RAISE EXCEPTION 'in the way' USING ERRCODE = '40001'`);
  await expect(insert()).rejects.toMatchObject(unavailable(/in the way/));
  expect(await countAttempts()).toBe(maxAttempts);
});

// errors.test.ts tests the meaning of all other errors.
it.each([
  { code: '53100', is: 'an outage', error: unavailable(/^53100: not now$/) },
  { code: 'XX001', is: 'damage', error: { errorName: 'database_damaged' } },
  { code: '23514', is: 'neither', error: { message: expect.stringContaining('23514: not now') } },
])('the error $code is $is', async ({ code, error }) => {
  await doOnInsert(`RAISE EXCEPTION 'not now' USING ERRCODE = '${code}'`);
  await expect(insert()).rejects.toMatchObject(error);
});

describe('a network that', () => {
  /** Opens the database behind a proxy, with short timeouts where nothing else ends a statement. */
  async function openProxied(DATABASE_POOL_SIZE = '10', isImpatient = true) {
    const proxy = await startProxy(Number(new URL(url).port));
    const proxied = await openTestDatabase(
      { url: Object.assign(new URL(url), { port: proxy.port }).href },
      { DATABASE_POOL_SIZE, ...(isImpatient && { DATABASE_STATEMENT_TIMEOUT_MS: '500' }) },
      isImpatient ? { connectMs: 500, queryMarginMs: 100 } : {},
    );
    onTestFinished(() => proxied.close());
    return { proxy, proxied };
  }

  it.each([
    { title: 'swallows everything', isCut: false, cause: /^no connection: .*timeout/ },
    { title: 'is cut', isCut: true, cause: /^no connection: / },
  ])('$title is an outage', async ({ isCut, cause }) => {
    const { proxy, proxied } = await openProxied('10', !isCut);
    const act = () =>
      Promise.allSettled<unknown>([
        insert(proxied),
        collect(proxied.stores.plant.read(undefined, { records: 1, bytes: 1 })),
        proxied.accessTokens.findByHash('a'),
        proxied.check(),
      ]);
    const succeeds = async () => (await act()).every(({ status }) => status === 'fulfilled');
    await until(succeeds);
    proxy.freeze();
    const acting = act();
    if (isCut) proxy.cut();
    expect(await acting).toMatchObject(Array(4).fill({ reason: unavailable(cause) }));
    proxy.thaw();
    await until(succeeds);
  });

  it('loses replies blocks their connections only until the backends are found idle', async () => {
    const { proxy, proxied } = await openProxied('3');
    // Already connected, so both arrive at the server.
    await until(() => Promise.all([proxied.check(), proxied.check()]).catch(() => undefined));
    proxy.freezeAnswersTo('Monstera');
    const lost = await Promise.allSettled([insert(proxied, 1n), insert(proxied, 2n)]);
    expect(lost).toMatchObject(lost.map(() => ({ status: 'rejected', reason: unavailable(/timeout/) })));
    // Those two occupy all connections for inserts.
    await until(() => insert(proxied, 3n, 'Fern').catch(() => undefined));
    expect(await query(url, 'SELECT id FROM plants')).toHaveLength(3);
  });
});

describe('a query that conflicts with others', () => {
  const conflict = Object.assign(new Error('could not serialize'), { severity: 'ERROR', code: '40001' });
  const conflicting = () => vi.fn(() => Promise.reject(conflict));

  it('waits at random between attempts, up to twice as long after each', async () => {
    const delays: number[] = [];
    const retrying = retryConflicts(conflicting(), new AbortController().signal, async (ms) =>
      delays.push(ms),
    );
    await expect(retrying).rejects.toBe(conflict);
    expect(delays).toHaveLength(maxAttempts - 1);
    for (const [index, delayMs] of delays.entries()) {
      expect(delayMs).toBeGreaterThanOrEqual(0);
      expect(delayMs).toBeLessThan(10 * 2 ** index);
    }
    expect([1, 2, 3, 4].map((attempt) => conflictDelayMs(attempt, 0.5))).toEqual([5, 10, 20, 40]);
    expect(new Set(Array.from({ length: 20 }, () => conflictDelayMs(4))).size).toBeGreaterThan(1);
  });

  it('makes no further attempt once its caller has given up', async () => {
    const timeout = new AbortController();
    const attempt = conflicting();
    const giveUp = async () => timeout.abort();
    await expect(retryConflicts(attempt, timeout.signal, giveUp)).rejects.toBe(conflict);
    expect(attempt).toHaveBeenCalledTimes(1);
  });
});
