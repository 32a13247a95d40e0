import type { Pool } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { until } from '../../../../test/support/until.js';
import { watchShards } from './shard-map.js';

/** A database whose catalog has one row for each of these hashes, the last of a shard; none is a table that is not distributed. */
function createCatalog(maxHashes: readonly number[] | Error) {
  const catalog = { maxHashes, reads: 0 };
  const query = async () => {
    catalog.reads++;
    if (catalog.maxHashes instanceof Error) throw catalog.maxHashes;
    return { rows: catalog.maxHashes.map((maxHash, index) => ({ id: String(102_008 + index), maxHash })) };
  };
  return { catalog, pool: { query } as unknown as Pick<Pool, 'query'> };
}

const one = [2 ** 31 - 1];
const two = [-1, 2 ** 31 - 1];

it('reads the map again, so that a shard that is split and a table that is not distributed any more are noticed', async () => {
  const { catalog, pool } = createCatalog(one);
  const watch = await watchShards(pool, () => undefined, 1);
  onTestFinished(watch.close);
  expect(watch.current()?.shards).toHaveLength(1);
  catalog.maxHashes = two;
  await until(async () => watch.current()?.shards.length === 2);
  catalog.maxHashes = [];
  await until(async () => watch.current() === undefined);
});

it('reports each map that it has read, but no failure', async () => {
  const { catalog, pool } = createCatalog(one);
  let reports = 0;
  const watch = await watchShards(pool, () => reports++, 1);
  onTestFinished(watch.close);
  await until(async () => reports > 1);
  catalog.maxHashes = new Error('away');
  const { reads } = catalog;
  await until(async () => catalog.reads > reads + 2);
  const seen = reports;
  await until(async () => catalog.reads > reads + 4);
  expect(reports).toBe(seen);
});

it('keeps the map that it has while the database does not answer', async () => {
  const { catalog, pool } = createCatalog(two);
  const watch = await watchShards(pool, () => undefined, 1);
  onTestFinished(watch.close);
  catalog.maxHashes = new Error('away');
  const { reads } = catalog;
  await until(async () => catalog.reads > reads + 2);
  expect(watch.current()?.shards).toHaveLength(2);
});

it('throws when the first map cannot be read', async () => {
  const { pool } = createCatalog(new Error('away'));
  await expect(watchShards(pool, () => undefined, 1)).rejects.toThrow('away');
});

it('reads no more once it is closed', async () => {
  const { catalog, pool } = createCatalog(one);
  const watch = await watchShards(pool, () => undefined, 1);
  await until(async () => catalog.reads > 2);
  watch.close();
  await new Promise(setImmediate);
  const { reads } = catalog;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(catalog.reads).toBe(reads);
});
