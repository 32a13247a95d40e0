import { createDatabase, query } from '@plant-store/postgresql-server';
import pg from 'pg';
import { pino } from 'pino';
import { expect, inject, it, onTestFinished } from 'vitest';
import { parseConfig } from '../../src/config.js';
import { createCommitRecord } from '../../src/observe/commit-health.js';
import { createReadiness } from '../../src/observe/readiness.js';
import { openDatabase } from '../../src/store/open-database.js';
import { recordLog } from '../support/database/record-log.js';
import { createTestQueue } from '../support/plants/create-test-queue.js';
import { removeFrom } from '../support/plants/remove-from.js';
import { distributeStandIn } from '../support/postgresql/stand-in-citus.js';
import { locateIn, onInsert } from '../support/postgresql/use-connections.js';
import { until } from '../support/until.js';

/** The queue of a database whose plants are on two nodes of a cluster; statements for a node that is away fail, and are counted. */
async function openDegradable(settings: Readonly<Record<string, string>> = {}) {
  const url = await createDatabase(inject('postgresqlUrl'));
  await distributeStandIn(url);
  const rejectWhereAway = onInsert(`
    IF EXISTS (SELECT FROM pg_dist_placement JOIN pg_catalog.nodes_away ON name = 'worker-' || groupid
      WHERE shardid = get_shard_id_for_distribution_column('plants', NEW.id)) THEN
      PERFORM nextval('failures');
      RAISE EXCEPTION 'connection to the remote node failed' USING ERRCODE = '08006';
    END IF`);
  await query(url, `CREATE SEQUENCE failures MINVALUE 0 START 0; ${rejectWhereAway}`);
  const { log, lines } = recordLog();
  const { database: location } = parseConfig({ ...settings, DATABASE_URL: url }, '/');
  const database = await openDatabase(location, { log });
  onTestFinished(() => database.close());
  const commits = createCommitRecord(database, 300);
  const queue = createTestQueue(database, { commits });
  const readiness = createReadiness({
    check: commits.check,
    warnings: () => [],
    failingShare: () => database.failingShare?.() ?? 0,
    stopping: new AbortController().signal,
    log: pino({ enabled: false }),
  });
  /** From now on these nodes are away, and no others. */
  const lose = (...nodes: readonly number[]) =>
    query(
      url,
      `DELETE FROM pg_catalog.nodes_away; INSERT INTO pg_catalog.nodes_away SELECT 'worker-' || unnest('{${nodes}}'::int[])`,
    );
  const ids = Array.from({ length: 2_000 }, (_, index) => BigInt(index));
  const nodes = await locateIn(url, ids);
  const idsOn = [1, 2].map((group) => ids.filter((id) => nodes.get(id) === group).values());
  /** Creates plants together, two on each node, and returns for each node whether they were stored. */
  const create = async () => {
    const pairs = idsOn.map((own) => [own.next().value ?? 0n, own.next().value ?? 0n]);
    const unavailable = { errorName: 'database_unavailable', headers: { 'Retry-After': '1' } };
    const write = (id: bigint) =>
      queue.create('plant', { id, name: 'x' }, 1).then(
        ({ stored }) => stored,
        (error) => {
          expect(error).toMatchObject(unavailable);
          return false;
        },
      );
    const stored = await Promise.all(pairs.flat().map(write));
    expect([stored[0], stored[2]]).toEqual([stored[1], stored[3]]);
    return [stored[0], stored[2]];
  };
  const countFailures = async () => {
    const [row] = await query<{ count: number }>(url, 'SELECT last_value::int AS count FROM failures');
    return row?.count ?? 0;
  };
  return { url, plants: database.stores.plant, queue, readiness, lose, idsOn, create, countFailures, lines };
}

it('stores the other ids while a node is away, with a warning, and is not ready once both are', async () => {
  const { url, plants, readiness, lose, create, countFailures, lines } = await openDegradable();
  expect(await create()).toEqual([true, true]);
  expect(await readiness()).toEqual({ ready: true, warnings: [] });

  await lose(1);
  const start = performance.now();
  for (let round = 0; round < 50; round++) expect(await create()).toEqual([false, true]);
  // Only the first statement has failed there, and what was to divide it.
  expect(await countFailures()).toBeLessThan(3 + (performance.now() - start) / 1_000);
  // A result counts for a while.
  const { warnings } = await until(async () => {
    const current = await readiness();
    return current.ready && current.warnings.length > 0 ? current : undefined;
  });
  expect(warnings).toEqual([expect.stringContaining('50 % of the ids')]);
  expect(lines).toEqual([expect.stringMatching(/^warn: degraded: /)]);

  const stored = await query<{ id: number }>(url, 'SELECT id::int FROM plants');
  const storedIds = stored.map(({ id }) => BigInt(id));
  const nodes = await locateIn(url, storedIds);
  const [away = 0n, present = 0n] = [1, 2].map((group) => [...nodes].find(([, of]) => of === group)?.[0]);
  const unavailable = expect.objectContaining({ errorName: 'database_unavailable' });
  expect(await removeFrom(plants, [away, present, away, present])).toEqual([
    unavailable,
    'removed',
    unavailable,
    'removed_before',
  ]);

  await lose(1, 2);
  await until(async () => {
    await create();
    return !(await readiness()).ready;
  });
  expect(await readiness()).toEqual({ ready: false, reason: 'database_unavailable' });

  // From here on there are no creates.
  await lose(1);
  await until(async () => (await readiness()).ready);
  await lose();
  await until(async () => {
    const current = await readiness();
    return current.ready && current.warnings.length === 0;
  });
  expect(lines.at(-1)).toBe('info: no longer degraded');
  expect(await create()).toEqual([true, true]);
});

it.each([
  { end: 'COMMIT', expected: { stored: false, existing: { name: 'Held' } } },
  { end: 'ROLLBACK', expected: { stored: true } },
])(
  'refuses an id that a transaction holds, until its $end, and stores those of other shards',
  async ({ end, expected }) => {
    const { url, queue, readiness, idsOn } = await openDegradable({ DATABASE_STATEMENT_TIMEOUT_MS: '300' });
    const holder = new pg.Client(url);
    await holder.connect();
    onTestFinished(() => holder.end());
    const [held = 0n, other = 0n] = idsOn.map((ids) => ids.next().value);
    await holder.query(`BEGIN; INSERT INTO plants VALUES (${held}, 'Held')`);
    const create = (id: bigint) => queue.create('plant', { id, name: 'Fern' }, 1);
    for (const stored of [true, false]) {
      const outcomes = await Promise.allSettled([create(held), create(other)]);
      expect(outcomes).toMatchObject([
        { status: 'rejected', reason: { errorName: 'database_unavailable' } },
        { status: 'fulfilled', value: { stored } },
      ]);
    }
    expect(await readiness()).toMatchObject({ ready: true });
    // An attempt that waits would store it before the next one.
    await new Promise((resolve) => setTimeout(resolve, 400));
    await holder.query(end);
    expect(await create(held)).toMatchObject(expected);
  },
);
