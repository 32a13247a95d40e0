import { INT64_MAX, INT64_MIN } from '@plant-store/contract';
import { PrismaPg } from '@prisma/adapter-pg';
import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import { beforeEach, expect, it } from 'vitest';
import { collect } from '../../../../test/support/collect.js';
import {
  createTestDatabase,
  openTestDatabase,
} from '../../../../test/support/database/create-test-database.js';
import type { TestDatabase } from '../../../../test/support/database/test-database.js';
import { type PageLimits, withoutTombstones } from '../../store.js';
import { readByRange } from './read-by-range.js';

let testDatabase: TestDatabase;
let connections: SqlDriverAdapter;
/** How many bytes of texts each query has returned. */
let received: number[];
let beforeQuery: () => Promise<unknown>;

beforeEach(async () => {
  testDatabase = await createTestDatabase('postgresql');
  await (await openTestDatabase(testDatabase)).close();
  const real = await new PrismaPg({ connectionString: testDatabase.url }).connect();
  connections = Object.assign(Object.create(real), {
    async queryRaw(query: Parameters<SqlDriverAdapter['queryRaw']>[0]) {
      await beforeQuery();
      const result = await real.queryRaw(query);
      const texts = result.rows.map(([, name, tag]) => Buffer.byteLength(`${name ?? ''}${tag ?? ''}`));
      received.push(texts.reduce((sum, bytes) => sum + bytes, 0));
      return result;
    },
  });
  received = [];
  beforeQuery = async () => undefined;
  return async () => {
    await real.dispose();
    await testDatabase.remove();
  };
});

const store = (from: number, to: number, name: string) =>
  testDatabase.query(`INSERT INTO plants SELECT id, ${name} FROM generate_series(${from}, ${to}) AS id`);
const read = async (limits: PageLimits) => {
  const pages = await collect(readByRange(connections, (query) => query(), undefined, limits));
  return pages.map(withoutTombstones);
};
const idsOf = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => BigInt(from + index));

it('never has more texts in memory than a page may have, however long they are', async () => {
  // Long ones among short ones, and one that is longer than a page.
  await store(1, 300, `repeat('x', CASE WHEN id = 150 THEN 50000 WHEN id % 3 = 0 THEN 4000 ELSE 50 END)`);
  const pages = await read({ plants: 100, bytes: 20_000 });
  expect(pages.flat().map(({ id }) => id)).toEqual(idsOf(1, 300));
  expect(pages.flat().map(({ name }) => name.length)).toEqual(
    idsOf(1, 300).map((id) => (id === 150n ? 50_000 : id % 3n === 0n ? 4_000 : 50)),
  );
  for (const page of pages) {
    const bytes = page.reduce((sum, { name }) => sum + name.length, 0);
    expect(page.length === 1 || bytes <= 20_000).toBe(true);
  }
  expect(received.filter((bytes) => bytes > 20_000)).toEqual([50_000]);
});

it('reads short texts together with their ids, in about a query for each page', async () => {
  await store(1, 5_000, `'Fern'`);
  await testDatabase.query(`INSERT INTO plants VALUES (${INT64_MIN}, 'first'), (${INT64_MAX}, 'last')`);
  const pages = await read({ plants: 100, bytes: 2 ** 20 });
  expect(pages.flat().map(({ id }) => id)).toEqual([INT64_MIN, ...idsOf(1, 5_000), INT64_MAX]);
  expect(received.length).toBeLessThan(75);
});

it('leaves out a plant that somebody deletes between reading its id and its long name', async () => {
  await store(1, 3, `repeat('x', 5000)`);
  beforeQuery = () =>
    received.length === 1 ? testDatabase.query('DELETE FROM plants WHERE id = 2') : Promise.resolve();
  const pages = await read({ plants: 10, bytes: 20_000 });
  expect(pages.flat().map(({ id }) => id)).toEqual([1n, 3n]);
});

it('rejects when a query does, after the pages before it', async () => {
  await store(1, 50, `'Fern'`);
  beforeQuery = () => (received.length === 3 ? Promise.reject(new Error('away')) : Promise.resolve());
  const found: bigint[] = [];
  const reading = (async () => {
    for await (const page of readByRange(connections, (query) => query(), undefined, {
      plants: 10,
      bytes: 1e6,
    }))
      found.push(...page.map(({ id }) => id));
  })();
  await expect(reading).rejects.toThrow('away');
  expect(found).toEqual(idsOf(1, found.length));
  expect(found.length).toBeGreaterThan(0);
});
