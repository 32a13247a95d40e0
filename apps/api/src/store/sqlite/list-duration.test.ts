import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.js';
import type { ListQuery } from '../store.js';
import { openSqlite } from './open-sqlite.js';

const noTime = { matches: 100, plants: 10_000, bytes: 2 ** 22, durationMs: 0 };

/** Opens a database with so many plants, by ascending ids from 1, and returns where a list without time ends. */
async function open(count: number, name: string) {
  const database = await openSqlite(join(temporaryFolder(), 'plant-store.db'));
  onTestFinished(() => database.close());
  await database.plants.create(
    Array.from({ length: count }, (_, index) => ({ id: BigInt(index + 1), name })),
  );
  return async (query: Omit<ListQuery, 'order'>) =>
    (await database.plants.list({ order: 'id', ...query }, noTime)).last?.id;
}

it('looks at the time after each long text, with a filter and without', async () => {
  const list = await open(20, 'x'.repeat(70_000));
  expect([await list({}), await list({ q: 'nowhere' })]).toEqual([1n, 1n]);
});

it('looks at the time after some short texts, with a filter after a part', async () => {
  const list = await open(1_200, 'Fern');
  expect([await list({}), await list({ q: 'nowhere' }), await list({ q: 'fern' })]).toEqual([
    100n,
    500n,
    100n,
  ]);
});

it('passes over plants of which none matches, up to those that do', async () => {
  const database = await openSqlite(join(temporaryFolder(), 'plant-store.db'));
  onTestFinished(() => database.close());
  const plants = Array.from({ length: 1_300 }, (_, index) => ({
    id: BigInt(index + 1),
    name: 'Fern',
    tag: index % 600 === 599 ? 'rare' : 'often',
  }));
  await database.plants.create(plants);
  const limits = { ...noTime, durationMs: 60_000 };
  const list = (matches: number, after?: bigint) => {
    const from = after === undefined ? undefined : { id: after };
    return database.plants.list({ order: 'id', equal: { tag: 'rare' }, after: from }, { ...limits, matches });
  };
  const ids = ({ plants: found, last }: Awaited<ReturnType<typeof list>>) => [
    found.map(({ id }) => id),
    last?.id,
  ];
  expect(ids(await list(10))).toEqual([[600n, 1_200n], undefined]);
  expect(ids(await list(1))).toEqual([[600n], 600n]);
  expect(ids(await list(1, 600n))).toEqual([[1_200n], 1_200n]);
  expect(ids(await list(1, 1_200n))).toEqual([[], undefined]);
});
