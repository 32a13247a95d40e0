import { setImmediate } from 'node:timers/promises';
import { INT64_MAX, INT64_MIN, type NewPlant } from '@plant-store/contract';
import { describe, expect, it } from 'vitest';
import { storesWithShards, usePlantStore } from '../../../test/support/database/use-plant-store.js';
import { plantsOf } from '../../../test/support/plants/plants-of.js';
import type { StoredPlant } from '../../plants/plant-store.js';
import { type ListLimits, type ListPosition, type ListQuery, withoutTombstones } from '../store.js';

/** Limits that no test reaches by accident. */
const highLimits: ListLimits = { matches: 1_000, plants: 10_000, bytes: 2 ** 22 };

describe.each(storesWithShards())('finding and listing plants on %s', (kind) => {
  const { store, testDatabase } = usePlantStore(kind);

  /** The ids of all pages. */
  async function listIds(query: ListQuery, limits: Partial<ListLimits> = {}): Promise<bigint[][]> {
    const pages: bigint[][] = [];
    let after: ListPosition | undefined;
    do {
      const { plants, last } = await store.list({ ...query, after }, { ...highLimits, ...limits });
      pages.push(plants.map(({ id }) => id));
      after = last;
    } while (after !== undefined);
    return pages;
  }

  const createAt = (addedAt: number, ...plants: NewPlant[]) =>
    store.create(plants.map((plant) => ({ ...plant, addedAt })));
  /** Plants as they were stored by a version that kept no times. */
  const createUntimed = async (...ids: bigint[]) => {
    await store.create(plantsOf(...ids));
    await testDatabase.query(`UPDATE plants SET added_at = NULL WHERE id IN (${ids.join()})`);
  };

  it('finds plants by their ids, with the time at which they were stored', async () => {
    const before = Date.now();
    const plants = [
      { id: INT64_MIN, name: 'first', tag: '' },
      { id: 9007199254740993n, name: '"🌱"' },
      ...plantsOf(INT64_MAX),
    ];
    await store.create(plants);
    await createAt(7, { id: 1n, name: 'old' });
    await createUntimed(2n);
    const found = withoutTombstones(await store.find([INT64_MAX, 3n, 9007199254740993n, INT64_MIN, 1n, 2n]));
    expect(byId(found)).toEqual(
      byId([
        ...plants.map((plant) => ({ ...plant, addedAt: expect.closeTo(before, -5) })),
        { id: 1n, name: 'old', addedAt: 7 },
        ...plantsOf(2n),
      ]),
    );
  });

  it('keeps the time of the first of several equal plants', async () => {
    await createAt(1, { id: 1n, name: 'a' });
    await createAt(2, { id: 1n, name: 'a' });
    expect(await store.find([1n])).toEqual([{ id: 1n, name: 'a', addedAt: 1 }]);
  });

  it('lists by id, from the smallest to the largest, in pages of as many as match', async () => {
    const ids = [INT64_MIN, -1n, 0n, 1n, 9007199254740993n, INT64_MAX];
    await store.create(plantsOf(...ids).toReversed());
    expect(await listIds({ order: 'id' })).toEqual([ids]);
    expect(await listIds({ order: 'id' }, { matches: 4 })).toEqual([ids.slice(0, 4), ids.slice(4)]);
    expect(await listIds({ order: 'id' }, { matches: 3 })).toEqual([ids.slice(0, 3), ids.slice(3)]);
    expect(await listIds({ order: 'id' }, { matches: 1 })).toEqual(ids.map((id) => [id]));
  });

  it('lists nothing of an empty store', async () => {
    for (const order of ['id', 'newest', 'untimed'] as const) expect(await listIds({ order })).toEqual([[]]);
    expect(await store.find([1n])).toEqual([]);
  });

  it('lists the newest first, those of one time by descending id, and those without a time apart', async () => {
    await createUntimed(100n, 50n, INT64_MAX);
    await createAt(2_000, ...plantsOf(-3n, 3n));
    await createAt(1_000, ...plantsOf(INT64_MIN, 7n));
    await createAt(3_000, ...plantsOf(0n));
    for (const matches of [1, 2, 4, 1_000]) {
      expect((await listIds({ order: 'newest' }, { matches })).flat()).toEqual([0n, 3n, -3n, 7n, INT64_MIN]);
      expect((await listIds({ order: 'untimed' }, { matches })).flat()).toEqual([INT64_MAX, 100n, 50n]);
    }
  });

  it('lists plants with exactly a tag, and with a part of the name in any case of ASCII letters', async () => {
    await store.create([
      { id: 1n, name: 'Monstera', tag: 'indoor' },
      { id: 2n, name: 'mini MONSTERA', tag: 'Indoor' },
      { id: 3n, name: 'Éclair 100% _x', tag: 'indoor' },
      { id: 4n, name: 'fern', tag: '' },
      { id: 5n, name: 'fern' },
    ]);
    const listAll = async (query: Omit<ListQuery, 'order'>) =>
      (await listIds({ order: 'id', ...query })).flat();
    expect(await listAll({ equal: { tag: 'indoor' } })).toEqual([1n, 3n]);
    expect(await listAll({ equal: { tag: '' } })).toEqual([4n]);
    expect(await listAll({ q: 'mOnStErA' })).toEqual([1n, 2n]);
    expect(await listAll({ q: 'éclair' })).toEqual([]);
    expect(await listAll({ q: 'ÉCLAIR' })).toEqual([3n]);
    expect(await listAll({ q: '0% _' })).toEqual([3n]);
    expect(await listAll({ q: '' })).toEqual([1n, 2n, 3n, 4n, 5n]);
    expect(await listAll({ equal: { tag: 'indoor' }, q: 'a' })).toEqual([1n, 3n]);
    expect(await listAll({ q: "'; --" })).toEqual([]);
  });

  it('examines no more plants than the limit, so that a page may be short or empty before the last', async () => {
    await store.create(
      plantsOf(1n, 2n, 3n, 4n, 5n, 6n).map((plant) => ({ ...plant, tag: plant.id < 5n ? 'x' : 'y' })),
    );
    expect(await listIds({ order: 'id', equal: { tag: 'y' } }, { plants: 2 })).toEqual([[], [], [5n, 6n]]);
    expect(await listIds({ order: 'id', equal: { tag: 'y' } }, { plants: 4 })).toEqual([[], [5n, 6n]]);
    expect(await listIds({ order: 'id', equal: { tag: 'x' } }, { plants: 3, matches: 2 })).toEqual([
      [1n, 2n],
      [3n, 4n],
      [],
    ]);
  });

  it('fills a page where plants were deleted, as far as the limits allow', async () => {
    const ids = Array.from({ length: 100 }, (_, id) => BigInt(id));
    await createAt(1, ...plantsOf(...ids));
    const kept = (id: bigint) => id % 10n === 9n;
    await store.remove(ids.filter((id) => !kept(id)));
    const all = ids.filter(kept);
    const two = [all.slice(0, 2), all.slice(2, 4), all.slice(4, 6), all.slice(6, 8), all.slice(8)];
    expect(await listIds({ order: 'id' }, { matches: 2 })).toEqual(two);
    expect(await listIds({ order: 'id' }, { matches: 4 })).toEqual([
      all.slice(0, 4),
      all.slice(4, 8),
      all.slice(8),
    ]);
    expect(await listIds({ order: 'id' }, { matches: 2, plants: 20 })).toEqual(two);
    // 15 of them have one plant or two.
    expect(await listIds({ order: 'id' }, { matches: 3, plants: 15 })).toEqual([
      [9n],
      [19n, 29n],
      [39n],
      [49n, 59n],
      [69n],
      [79n, 89n],
      [99n],
    ]);
    expect((await listIds({ order: 'newest' }, { matches: 2 })).flat()).toEqual(all.toReversed());
    // Each has 8 bytes, or 7.
    expect(await listIds({ order: 'id' }, { matches: 3, bytes: 8 })).toEqual(all.map((id) => [id]));
    expect(await listIds({ order: 'id' }, { matches: 3, bytes: 16 })).toEqual([
      all.slice(0, 2),
      all.slice(2, 4),
      all.slice(4, 6),
      all.slice(6, 8),
      all.slice(8),
    ]);
  });

  it('fills a page no further than its limit in bytes', async () => {
    await createAt(1, ...plantsOf(1n, 2n, 3n));
    await store.remove([1n]);
    const { length } = 'plant 2';
    expect(await listIds({ order: 'id' }, { matches: 2, bytes: length })).toEqual([[2n], [3n]]);
    expect(await listIds({ order: 'id' }, { matches: 2, bytes: 2 * length })).toEqual([[2n, 3n]]);
  });

  it.each([
    { bytes: 0, pages: [[1n], [2n], [3n]] },
    { bytes: 10, pages: [[1n, 2n], [3n]] },
    { bytes: 11, pages: [[1n, 2n], [3n]] },
    { bytes: 12, pages: [[1n, 2n, 3n]] },
  ])(
    'examines plants of 7, 3 and 2 bytes within $bytes bytes, and one at least',
    async ({ bytes, pages }) => {
      await store.create([
        { id: 1n, name: '🌱é', tag: 'a' },
        { id: 2n, name: '苗' },
        { id: 3n, name: '', tag: 'bc' },
      ]);
      expect(await listIds({ order: 'id' }, { bytes })).toEqual(pages);
    },
  );

  it('shows each plant once, and none too few, while others are stored', async () => {
    const old = Array.from({ length: 60 }, (_, index) => BigInt(10 * index));
    await store.create(plantsOf(...old));
    let isDone = false;
    const adding = (async () => {
      for (let id = 1n; !isDone && id < 600n; id += 7n) {
        await store.create(plantsOf(id));
        await setImmediate();
      }
    })();
    for (const order of ['id', 'newest'] as const) {
      const ids = (await listIds({ order }, { matches: 3 })).flat();
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toEqual(expect.arrayContaining(old));
    }
    isDone = true;
    await adding;
  });

  // A file of SQLite stays readable in an outage.
  it.runIf(kind === 'postgresql')(
    'rejects with database_unavailable during an outage, and reads after it',
    async () => {
      await store.create(plantsOf(1n));
      const endOutage = await testDatabase.beginOutage('closed');
      await expect(store.find([1n])).rejects.toMatchObject({ errorName: 'database_unavailable' });
      await expect(store.list({ order: 'id' }, highLimits)).rejects.toMatchObject({
        errorName: 'database_unavailable',
      });
      await endOutage();
      expect(await store.find([1n])).toHaveLength(1);
      expect(await listIds({ order: 'id' })).toEqual([[1n]]);
    },
  );
});

function byId(plants: readonly StoredPlant[]): StoredPlant[] {
  return plants.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}
