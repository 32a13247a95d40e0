import { setImmediate } from 'node:timers/promises';
import { INT64_MAX, INT64_MIN, type NewPlant } from '@plant-store/contract';
import type { ListLimits, ListPosition, ListQuery } from '@plant-store/records';
import { describe, expect, it } from 'vitest';
import { storesWithShards, usePlantStore } from '../../../test/support/database/use-plant-store.js';
import { plantsOf } from '../../../test/support/plants/plants-of.js';
import { removeFrom } from '../../../test/support/plants/remove-from.js';

/** Limits that no test reaches by accident. */
const highLimits: ListLimits = { matches: 1_000, records: 10_000, bytes: 2 ** 22 };

/** Pages of so many ids, each as `list` returns it. */
const pagesOf = (size: number, ids: readonly bigint[]) =>
  Array.from({ length: Math.ceil(ids.length / size) }, (_, page) =>
    ids.slice(page * size, (page + 1) * size).join(),
  );

describe.each(storesWithShards())('finding and listing plants on %s', (kind) => {
  const { store, testDatabase } = usePlantStore(kind);

  /** The ids of each page, such as `1,2`. */
  async function list(limits: Partial<ListLimits>, query: Partial<ListQuery> = {}): Promise<string[]> {
    const pages: string[] = [];
    let after: ListPosition | undefined;
    do {
      const listed = await store.list({ order: 'id', ...query, after }, { ...highLimits, ...limits });
      pages.push(listed.records.map(({ id }) => id).join());
      after = listed.last;
    } while (after !== undefined);
    return pages;
  }
  /** The ids of all pages. */
  const listAll = async (query: Partial<ListQuery>, limits: Partial<ListLimits> = {}) =>
    (await list(limits, query)).filter((page) => page !== '').join();

  const createAt = (addedAt: number, ...plants: NewPlant[]) =>
    store.create(plants.map((plant) => ({ ...plant, addedAt })));
  /** Plants as they were stored by a version that kept no times. */
  const createUntimed = async (...ids: bigint[]) => {
    await store.create(plantsOf(...ids));
    await testDatabase.query(`UPDATE plants SET added_at = NULL WHERE id IN (${ids.join()})`);
  };

  it('finds plants by their ids, with the time at which they were stored', async () => {
    const addedAt = expect.closeTo(Date.now(), -5);
    const plants = [
      { id: INT64_MIN, name: 'first', tag: '' },
      { id: 9007199254740993n, name: '"🌱"' },
      ...plantsOf(INT64_MAX),
    ];
    await store.create(plants);
    await createAt(7, { id: 1n, name: 'old' });
    await createUntimed(2n);
    const found = await store.find([INT64_MAX, 3n, 9007199254740993n, INT64_MIN, 1n, 2n]);
    expect(found).toHaveLength(5);
    for (const plant of plants) expect(found).toContainEqual({ ...plant, addedAt });
    expect(found).toContainEqual({ id: 1n, name: 'old', addedAt: 7 });
    expect(found).toContainEqual(plantsOf(2n)[0]);
  });

  it('keeps the time of the first of several equal plants', async () => {
    for (const addedAt of [1, 2]) await createAt(addedAt, { id: 1n, name: 'a' });
    expect(await store.find([1n])).toEqual([{ id: 1n, name: 'a', addedAt: 1 }]);
  });

  it('lists by id, from the smallest to the largest, in pages of as many as match', async () => {
    expect(await list({})).toEqual(['']);
    const ids = [INT64_MIN, -1n, 0n, 1n, 9007199254740993n, INT64_MAX];
    await store.create(plantsOf(...ids).toReversed());
    for (const matches of [1, 3, 4, 1_000]) expect(await list({ matches })).toEqual(pagesOf(matches, ids));
  });

  it('lists the newest first, those of one time by descending id, and those without a time apart', async () => {
    for (const order of ['newest', 'untimed'] as const) expect(await list({}, { order })).toEqual(['']);
    await createUntimed(100n, 50n, INT64_MAX);
    await createAt(2_000, ...plantsOf(-3n, 3n));
    await createAt(1_000, ...plantsOf(INT64_MIN, 7n));
    await createAt(3_000, ...plantsOf(0n));
    for (const matches of [1, 2, 4, 1_000]) {
      expect(await listAll({ order: 'newest' }, { matches })).toBe(`0,3,-3,7,${INT64_MIN}`);
      expect(await listAll({ order: 'untimed' }, { matches })).toBe(`${INT64_MAX},100,50`);
    }
  });

  it('lists plants with exactly a tag, and with a part of the name in any case of letters', async () => {
    await store.create([
      { id: 1n, name: 'Monstera', tag: 'indoor' },
      { id: 2n, name: 'mini MONSTERA', tag: 'Indoor' },
      { id: 3n, name: 'Éclair 100% _x', tag: 'indoor' },
      { id: 4n, name: 'fern', tag: '' },
      { id: 5n, name: 'fern' },
    ]);
    expect(await listAll({ equal: { tag: 'indoor' } })).toBe('1,3');
    expect(await listAll({ equal: { tag: '' } })).toBe('4');
    expect(await listAll({ q: 'mOnStErA' })).toBe('1,2');
    expect(await listAll({ q: 'éclair' })).toBe('3');
    expect(await listAll({ q: 'E\u0301CLAIR' })).toBe('3');
    expect(await listAll({ q: 'eclair' })).toBe('');
    expect(await listAll({ q: '0% _' })).toBe('3');
    expect(await listAll({ q: '' })).toBe('1,2,3,4,5');
    expect(await list({ matches: 1 }, { q: 'm' })).toEqual(['1', '2', '']);
    expect(await listAll({ equal: { tag: 'indoor' }, q: 'a' })).toBe('1,3');
    expect(await listAll({ q: "'; --" })).toBe('');
  });

  it('lists plants that were stored from a time on, and before a time, in either order', async () => {
    await createUntimed(9n);
    for (const time of [-1_000, 0, 1_000, 2_000, 3_000])
      await createAt(time, { id: BigInt(time), name: 'a' }, { id: BigInt(time + 1), name: 'b' });
    const ranges: [Partial<ListQuery>, string][] = [
      [{ addedFrom: 1_000, addedBefore: 3_000 }, '1000,1001,2000,2001'],
      [{ addedFrom: 1_001, addedBefore: 3_001 }, '2000,2001,3000,3001'],
      [{ addedFrom: 2_001 }, '3000,3001'],
      [{ addedBefore: 0 }, '-1000,-999'],
      [{ addedFrom: 3_000, addedBefore: 3_000 }, ''],
      [{ addedFrom: 0, addedBefore: 2_000, q: 'A' }, '0,1000'],
    ];
    for (const [query, ids] of ranges) {
      for (const limits of [{}, { matches: 1 }, { plants: 3 }, { records: 2, matches: 1 }]) {
        expect(await listAll(query, limits)).toBe(ids);
        const newest = await listAll({ ...query, order: 'newest' }, limits);
        expect(newest).toBe(ids.split(',').toReversed().join());
        expect(await listAll({ ...query, order: 'untimed' }, limits)).toBe('');
      }
    }
  });

  it('examines the plants of a time alone with the newest first', async () => {
    for (const time of [1, 2, 3, 4, 5]) await createAt(time, ...plantsOf(BigInt(time)));
    const range = { addedFrom: 2, addedBefore: 4 };
    expect(await list({ records: 2 }, { ...range, order: 'newest' })).toEqual(['3,2']);
    expect(await list({ records: 2 }, { ...range, order: 'id' })).toEqual(['2', '3', '']);
  });

  it('finds a part of long texts, and of one of many', async () => {
    const names = [`${'苗'.repeat(60_000)}Ö`, `${'a'.repeat(60_000)}B`, ...Array(2_500).fill('ж'), 'Ѫ'];
    await store.create(names.map((name, id) => ({ id: BigInt(id), name })));
    expect(await listAll({ q: 'o\u0308' })).toBe('0');
    expect(await listAll({ q: 'AB' })).toBe('1');
    expect(await listAll({ q: 'ѫ' })).toBe('2502');
    // A page each for the long ones, at least, where the time is over at once.
    const pages = await list({ durationMs: 0 }, { q: 'ѫ' });
    expect([pages.length > 2, pages.join('')]).toEqual([true, '2502']);
    expect((await listAll({ q: 'Ж' })).split(',').map(Number)).toEqual([...names.keys()].slice(2, -1));
  });

  it('gives up a search within a long text once the time ends, and begins the next page with it', async () => {
    await store.create([
      { id: 1n, name: 'a' },
      { id: 2n, name: `${'ж'.repeat(500_000)}ѫ` },
    ]);
    expect(await list({ durationMs: 0.5 }, { q: 'ѫ' })).toEqual(['', '2']);
  });

  it('examines no more plants than the limit, so that a page may be short or empty before the last', async () => {
    const plants = plantsOf(1n, 2n, 3n, 4n, 5n, 6n);
    await store.create(plants.map((plant) => ({ ...plant, tag: plant.id < 5n ? 'x' : 'y' })));
    const [x, y] = [{ equal: { tag: 'x' } }, { equal: { tag: 'y' } }];
    expect(await list({ records: 2 }, y)).toEqual(['', '', '5,6']);
    expect(await list({ records: 4 }, y)).toEqual(['', '5,6']);
    expect(await list({ records: 3, matches: 2 }, x)).toEqual(['1,2', '3,4', '']);
  });

  it('fills a page where plants were deleted, as far as the limits allow', async () => {
    const ids = Array.from({ length: 100 }, (_, id) => BigInt(id));
    await createAt(1, ...plantsOf(...ids));
    const kept = ids.filter((id) => id % 10n === 9n);
    await removeFrom(
      store,
      ids.filter((id) => !kept.includes(id)),
    );
    expect(await list({ matches: 2 })).toEqual(pagesOf(2, kept));
    expect(await list({ matches: 4 })).toEqual(pagesOf(4, kept));
    expect(await list({ matches: 2, records: 20 })).toEqual(pagesOf(2, kept));
    // 15 of them have one plant or two.
    const byFifteen = ['9', '19,29', '39', '49,59', '69', '79,89', '99'];
    expect(await list({ matches: 3, records: 15 })).toEqual(byFifteen);
    expect(await listAll({ order: 'newest' }, { matches: 2 })).toBe(kept.toReversed().join());
    // Each has 8 bytes, or 7.
    expect(await list({ matches: 3, bytes: 8 })).toEqual(pagesOf(1, kept));
    expect(await list({ matches: 3, bytes: 16 })).toEqual(pagesOf(2, kept));
  });

  it('fills a page no further than its limit in bytes, with one plant at least', async () => {
    // Of 7, 3 and 2 bytes.
    await store.create([
      { id: 1n, name: '🌱é', tag: 'a' },
      { id: 2n, name: '苗' },
      { id: 3n, name: '', tag: 'bc' },
    ]);
    expect(await list({ bytes: 0 })).toEqual(['1', '2', '3']);
    for (const bytes of [10, 11]) {
      expect(await list({ bytes })).toEqual(['1,2', '3']);
      expect(await list({ matches: 3, bytes })).toEqual(['1,2', '3']);
    }
    expect(await list({ bytes: 12 })).toEqual(['1,2,3']);
    await removeFrom(store, [1n]);
    expect(await list({ matches: 2, bytes: 3 })).toEqual(['2', '3']);
    expect(await list({ matches: 2, bytes: 5 })).toEqual(['2,3']);
  });

  it('counts the plants of each tag, of those that it examines', async () => {
    const tags = ['a', undefined, 'b', 'a', '', 'a', 'gone'];
    expect(await store.countValues('tag', undefined, highLimits)).toMatchObject({
      counts: [],
      last: undefined,
    });
    await store.create(
      tags.map((tag, id) => ({ id: BigInt(id - 1), name: 'ab', ...(tag !== undefined && { tag }) })),
    );
    await removeFrom(store, [5n]);
    const count = async (limits: Partial<ListLimits>) => {
      const pages: string[] = [];
      for (let after: bigint | undefined; ; ) {
        const { counts, last } = await store.countValues('tag', after, { ...highLimits, ...limits });
        pages.push(
          counts
            .map(([tag, plants]) => `${tag}${plants}`)
            .sort()
            .join(),
        );
        if (last === undefined) return pages;
        after = last;
      }
    };
    expect(await count({})).toEqual(['1,a3,b1']);
    expect(await count({ records: 4 })).toEqual(['a2,b1', '1,a1']);
    expect(await count({ records: 1 })).toEqual(['a1', '', 'b1', 'a1', '1', 'a1', '']);
    expect(await count({ bytes: 0 })).toHaveLength(7);
    expect(await store.countValues('name', undefined, highLimits)).toMatchObject({ counts: [['ab', 6]] });
    // Of 3, 2 and 3 bytes.
    expect(await count({ bytes: 8 })).toEqual(['a1,b1', '1,a2']);
  });

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
      const ids = (await listAll({ order }, { matches: 3 })).split(',').map(BigInt);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toEqual(expect.arrayContaining(old));
    }
    isDone = true;
    await adding;
  });

  // A file of SQLite stays readable in an outage.
  it.runIf(kind === 'postgresql')('is unavailable during an outage, and reads after it', async () => {
    await store.create(plantsOf(1n));
    const endOutage = await testDatabase.beginOutage('closed');
    const unavailable = { errorName: 'database_unavailable' };
    await expect(store.find([1n])).rejects.toMatchObject(unavailable);
    await expect(list({})).rejects.toMatchObject(unavailable);
    await endOutage();
    expect(await store.find([1n])).toHaveLength(1);
    expect(await list({})).toEqual(['1']);
  });
});
