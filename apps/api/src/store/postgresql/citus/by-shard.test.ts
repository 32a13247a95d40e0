import { PrismaPg } from '@prisma/adapter-pg';
import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import { beforeEach, expect, it } from 'vitest';
import { collect } from '../../../../test/support/collect.js';
import {
  createTestDatabase,
  openTestDatabase,
} from '../../../../test/support/database/create-test-database.js';
import type { TestDatabase } from '../../../../test/support/database/test-database.js';
import { withoutTime } from '../../../../test/support/database/use-plant-store.js';
import { plantsOf } from '../../../../test/support/plants/plants-of.js';
import { type PlantStore, plantTable } from '../../../plants/plant-store.js';
import { createPostgresqlStore } from '../postgresql-store.js';
import { byShard, routeByShard } from './by-shard.js';
import { createShardMap, type ShardMap } from './shard-map.js';

/** So many shards of equal ranges, as Citus makes them. */
function equalShards(count: number): ShardMap {
  const size = 2 ** 32 / count;
  const shard = (_: unknown, index: number) => ({
    id: 100 * count + index,
    minHash: index * size - 2 ** 31,
    maxHash: (index + 1) * size - 1 - 2 ** 31,
    node: index % 2,
  });
  return createShardMap(Array.from({ length: count }, shard));
}

const plants = plantsOf(...Array.from({ length: 40 }, (_, index) => index + 1));
const stored = { stored: true };

let map: ShardMap | undefined;
let store: PlantStore;
/** The ids of each statement, inserts and reads. */
let statements: bigint[][];
/** Their texts. */
let texts: string[];
let failOn: bigint | undefined;
let testDatabase: TestDatabase;

beforeEach(async () => {
  testDatabase = await createTestDatabase('postgresql');
  // This migrates it.
  await (await openTestDatabase(testDatabase)).close();
  const real = await new PrismaPg({ connectionString: testDatabase.url }).connect();
  const connections: SqlDriverAdapter = Object.assign(Object.create(real), {
    async queryRaw(query: Parameters<SqlDriverAdapter['queryRaw']>[0]) {
      // Ids are small here, and times are not.
      const ids = query.args
        .flat()
        .filter((value): value is bigint => typeof value === 'bigint' && value < 1e6);
      statements.push(ids);
      texts.push(query.sql);
      if (failOn !== undefined && ids.includes(failOn)) throw new Error('this shard is away');
      return real.queryRaw(query);
    },
  });
  statements = [];
  texts = [];
  failOn = undefined;
  map = equalShards(4);
  const table = byShard({ currentMap: () => map, runOnNode: (_, statement) => statement() });
  store = createPostgresqlStore(connections, (query) => query(), plantTable, table);
  return async () => {
    await real.dispose();
    await testDatabase.remove();
  };
});

async function readAll() {
  return (await collect(store.read(undefined, { plants: 100, bytes: 1e6 }))).flat().map(withoutTime);
}

it('inserts and reads the plants of each shard in a statement of their own', async () => {
  expect(await store.insert(plants)).toEqual(plants.map(() => stored));
  expect(statements).toHaveLength(4);
  const outcomes = await store.insert(plants.toReversed());
  expect(outcomes).toEqual(plants.toReversed().map((existing) => ({ stored: false, existing })));
  expect(statements).toHaveLength(12);
  for (const ids of statements) expect(new Set(ids.map((id) => map?.shardOf(id))).size).toBe(1);
  expect(await readAll()).toEqual(plants);
});

it('stores the first of several plants with an id, and inserts them in the order of their ids', async () => {
  const outcomes = await store.insert(plantsOf(3, 1, 2, 1, 3));
  expect(outcomes.map((outcome) => outcome.stored)).toEqual([true, true, true, false, false]);
  for (const ids of statements) expect(ids).toEqual(ids.toSorted((a, b) => (a < b ? -1 : 1)));
});

it('stores the plants of other shards when one is away, and throws its error', async () => {
  failOn = 1n;
  await expect(store.insert(plants)).rejects.toThrow('this shard is away');
  const kept = await readAll();
  const lost = plants.filter(({ id }) => map?.shardOf(id) === map?.shardOf(1n));
  expect(kept).toEqual(plants.filter((plant) => !lost.includes(plant)));
});

it('writes a record for each plant that it confirms, not for all of a shard that is scanned', async () => {
  map = equalShards(1);
  await store.insert(plants);
  await store.insert(plants.slice(0, 20));
  await testDatabase.query('SET enable_indexscan = off');
  await testDatabase.query('SET enable_bitmapscan = off');
  const [row] = await testDatabase.query<{ 'QUERY PLAN': readonly { Plan: Record<string, unknown> }[] }>(
    `EXPLAIN (ANALYZE, WAL, FORMAT JSON) ${texts.at(-1)?.replace('$1', `'{${statements.at(-1)}}'`)}`,
  );
  const plan = row?.['QUERY PLAN'][0]?.Plan;
  expect(plan).toMatchObject({ 'Node Type': 'Seq Scan' });
  const confirmed = statements.at(-1)?.length ?? 0;
  expect(plan?.['WAL Records']).toBeGreaterThanOrEqual(confirmed);
  // PostgreSQL may clean up the page besides, which is a record, too.
  expect(plan?.['WAL Records']).toBeLessThan(confirmed + 10);
  expect(plants.length).toBeGreaterThanOrEqual(confirmed + 10);
});

it('routes by the current shards, and as one PostgreSQL does while there are none', async () => {
  const routing = routeByShard(() => map, 7);
  expect(new Set(plants.map(({ id }) => routing.shardOf(id))).size).toBe(4);
  expect(routing).toMatchObject({
    insertsPerShard: 1,
    inserts: 7,
    nodes: { insertsPerNode: 3, delayAfterFailureMs: 100 },
  });
  expect([400, 401, 402, 800].map((shard) => routing.nodes?.nodeOf(shard))).toEqual([0, 1, 0, 0]);
  expect([400, 800].map((shard) => routing.shareOf?.(shard))).toEqual([0.25, 0]);
  map = equalShards(8);
  expect(new Set(plants.map(({ id }) => routing.shardOf(id))).size).toBe(8);
  map = undefined;
  expect(new Set(plants.map(({ id }) => routing.shardOf(id)))).toEqual(new Set([0]));
  expect([routing.nodes, routing.shareOf]).toEqual([undefined, undefined]);
  expect(await store.insert(plants)).toEqual(plants.map(() => stored));
  expect(statements).toHaveLength(1);
});

it('reads all plants, also while the table is distributed or is no longer', async () => {
  await store.insert(plants);
  const read: bigint[] = [];
  for await (const page of store.read(undefined, { plants: 5, bytes: 1e6 })) {
    read.push(...page.map(({ id }) => id));
    map = map === undefined ? equalShards(4) : undefined;
  }
  expect(read).toEqual(plants.map(({ id }) => id));
});
