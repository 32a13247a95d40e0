import type { Plant } from '@plant-store/contract';
import { type Change, isTombstone, removalOf } from '@plant-store/records';
import { describe, expect, it } from 'vitest';
import {
  highPageLimits,
  storesWithShards,
  usePlantStore,
} from '../../../test/support/database/use-plant-store.js';
import type { PlantRecord, StoredPlant } from '../../plants/plant-store.js';
import { orThrow } from '../store.js';

const fern = { id: 1n, name: 'Fern', tag: 'outdoor', addedAt: 5 };
const rose = { id: 2n, name: 'Rose', addedAt: null };

/** Replaces a plant, and nothing else. */
function update(id: bigint, replace: (plant: StoredPlant) => StoredPlant | undefined): Change<Plant> {
  return {
    ...{ id, bytes: 100 },
    replace: (existing) => (existing === undefined || isTombstone(existing) ? undefined : replace(existing)),
  };
}

/** Adds a text to the name of a plant. */
const append = (id: bigint, text: string) =>
  update(id, (plant) => ({ ...plant, name: plant.name + text, original: 'o' }));

/** What has an id, in a word. */
const nameOf = (record: PlantRecord | undefined) =>
  record === undefined ? '-' : isTombstone(record) ? 'deleted' : record.name;

/** Gives the id of a deleted plant to another one. */
const giving = (plant: StoredPlant): Change<Plant> => ({
  ...{ id: plant.id, bytes: 100 },
  replace: (existing) => (existing !== undefined && isTombstone(existing) ? plant : undefined),
});

describe.each(storesWithShards())('changing plants on %s', (kind) => {
  const { store, testDatabase } = usePlantStore(kind);
  const change = async (...changes: readonly Change<Plant>[]) => (await store.change(changes)).map(orThrow);
  const find = async (...ids: readonly bigint[]) => {
    const found = new Map((await store.find(ids)).map((record) => [record.id, record]));
    return ids.map((id) => found.get(id));
  };

  it.each<[string, StoredPlant]>([
    ['texts', { ...fern, name: '', tag: '' }],
    ['no tag', { id: 1n, name: 'Fern', addedAt: 5 }],
    ['what it was created as', { ...fern, original: 'o' }],
    ['another time', { ...fern, addedAt: 7 }],
    ['no time', { ...fern, addedAt: null }],
    ['everything', { id: 1n, name: "O'Hara \u{1f33f}", addedAt: 9, original: 'p' }],
  ])('stores %s, in all that reads it', async (_, after) => {
    await store.create([fern, rose]);
    expect(await change(update(1n, () => after))).toMatchObject([{ before: fern, after }]);
    const { addedAt, ...others } = after;
    const expected = { ...others, ...(addedAt === null ? {} : { addedAt }) };
    const [found] = await find(1n);
    expect(found).toStrictEqual({ tag: undefined, addedAt: undefined, original: undefined, ...expected });
    const limits = { records: 10, bytes: 1e6, matches: 10 };
    for (const order of ['id', addedAt === null ? 'untimed' : 'newest'] as const)
      expect((await store.list({ order }, limits)).records).toContainEqual(found);
    for await (const page of store.read(undefined, highPageLimits)) expect(page).toContainEqual(found);
    expect(await find(2n)).toMatchObject([{ id: 2n, name: 'Rose' }]);
  });

  it('gives each of several changes of one id what the one before it has made', async () => {
    await store.create([fern, rose]);
    const given = { id: 1n, name: 'G', addedAt: null };
    const outcomes = await change(
      ...[append(1n, 'a'), append(2n, 'a'), append(1n, 'b'), append(3n, 'a'), removalOf<Plant>(1n)],
      ...[append(1n, 'c'), removalOf<Plant>(1n), giving(given), giving(given), append(1n, 'd')],
      ...[removalOf<Plant>(3n, true), giving({ ...rose, id: 3n })],
    );
    expect(outcomes.map(({ before, after }) => [nameOf(before), nameOf(after)])).toEqual([
      ...[
        ['Fern', 'Ferna'],
        ['Rose', 'Rosea'],
        ['Ferna', 'Fernab'],
        ['-', '-'],
      ],
      ...[
        ['Fernab', 'deleted'],
        ['deleted', '-'],
        ['deleted', '-'],
        ['deleted', 'G'],
      ],
      ...[
        ['G', '-'],
        ['G', 'Gd'],
        ['-', 'deleted'],
        ['deleted', 'Rose'],
      ],
    ]);
    expect(await find(1n, 2n, 3n)).toMatchObject([{ name: 'Gd' }, { name: 'Rosea' }, { name: 'Rose' }]);
    expect(await change()).toEqual([]);
  });

  it('keeps the time of a deleted plant, and neither its texts nor what it was created as', async () => {
    await store.create([fern]);
    await change(append(1n, 'a'), removalOf(1n));
    const [row] = await testDatabase.query('SELECT name, tag, original, added_at FROM plants');
    expect({ ...row, added_at: Number((row as { added_at: unknown }).added_at) }).toEqual({
      ...{ name: '', tag: null, original: null, added_at: 5 },
    });
    // The next plant has its own time, or none.
    await change(giving({ id: 1n, name: 'Ivy', addedAt: null }));
    expect(await find(1n)).toMatchObject([{ name: 'Ivy', addedAt: undefined, original: undefined }]);
  });

  it('knows who has created a plant, and who has changed it last', async () => {
    const history = async () => {
      const [found] = await store.findHistory([1n]);
      return [nameOf(found?.record), found?.addedBy, found?.changedBy, found?.addedAt];
    };
    expect(await store.findHistory([1n])).toEqual([]);
    const begun = Date.now();
    await store.create([
      { ...fern, addedBy: '7' },
      { ...rose, addedBy: 'subject x' },
      { id: 3n, name: 'Ivy' },
    ]);
    expect(await history()).toEqual(['Fern', '7', undefined, 5]);
    await change({ ...append(1n, 'a'), by: 'subject x' });
    expect(await history()).toEqual(['Ferna', '7', 'subject x', 5]);
    await change({ ...removalOf(1n), by: '8' });
    expect(await history()).toEqual(['deleted', '7', '8', 5]);
    await change({ ...giving({ id: 1n, name: 'Ivy', addedAt: 9 }), by: '9' });
    expect(await history()).toEqual(['Ivy', '9', undefined, 9]);
    // One that nobody has named.
    await change({ ...append(1n, 'a'), by: '9' }, append(1n, 'b'));
    expect(await history()).toEqual(['Ivyab', '9', undefined, 9]);
    const others = await store.findHistory([4n, 3n, 2n]);
    expect(new Map(others.map(({ record, addedBy }) => [record.id, addedBy]))).toEqual(
      new Map([
        [2n, 'subject x'],
        [3n, undefined],
      ]),
    );
    const [{ changedAt = 0 } = {}] = await store.findHistory([1n]);
    expect(changedAt).toBeGreaterThanOrEqual(begun);
    expect(changedAt).toBeLessThanOrEqual(Date.now());
  });

  it('loses none of many changes of a plant at the same time', async () => {
    await store.create([fern, rose]);
    const texts = [...'abcdefghijkl'];
    const calls = texts.map((text, at) => {
      const changes = [append(1n, text), append(2n, text)];
      return change(...(at % 2 === 0 ? changes : changes.toReversed()));
    });
    const outcomes = (await Promise.all(calls)).flat();
    for (const [id, name] of [
      [1n, 'Fern'],
      [2n, 'Rose'],
    ] as const) {
      // There is one order of them in which each has found what the one before it has made.
      const names = outcomes
        .filter(({ after }) => after?.id === id)
        .map(({ before, after }) => [nameOf(before), nameOf(after)] as const)
        .toSorted(([a], [b]) => a.length - b.length);
      expect(names.map(([before]) => before)).toEqual([
        name,
        ...names.slice(0, -1).map(([, after]) => after),
      ]);
      const last = names.at(-1)?.[1] ?? '';
      expect([...last.slice(name.length)].toSorted()).toEqual(texts);
      expect(await find(id)).toMatchObject([{ name: last }]);
    }
  });

  it('takes a plant that others change forth and back meanwhile for no failure', async () => {
    await store.create([fern]);
    const toggle = update(1n, (plant) => ({ ...plant, name: plant.name === 'Fern' ? 'Ivy' : 'Fern' }));
    const outcomes = (await Promise.all(Array.from({ length: 16 }, () => change(toggle)))).flat();
    expect(outcomes.filter(({ before }) => nameOf(before) === 'Ivy')).toHaveLength(8);
    expect(await find(1n)).toMatchObject([{ name: 'Fern' }]);
  });

  it.each([
    ['an update', append(1n, 'a'), ['Fern Ferna Ferna deleted', 'deleted - Fern deleted']],
    [
      'a plant that is given the id',
      giving({ ...rose, id: 1n }),
      ['Fern - Fern deleted', 'deleted Rose Fern Rose'],
    ],
  ])('has the outcome of one of the two orders when %s meets a removal', async (_, other, orders) => {
    for (let round = 0; round < 10; round++) {
      await store.create([fern]);
      const [[changed], [removed]] = await Promise.all([change(other), change(removalOf(1n))]);
      const [last] = await find(1n);
      expect(orders).toContain(
        [changed?.before, changed?.after, removed?.before, last].map(nameOf).join(' '),
      );
      await testDatabase.query('DELETE FROM plants');
    }
  });
});
