import type { Plant } from '@plant-store/contract';
import { type Change, isTombstone, removalOf } from '@plant-store/records';
import { describe, expect, it } from 'vitest';
import { storesWithShards, usePlantStore } from '../../../test/support/database/use-plant-store.js';
import type { PlantRecord, StoredPlant } from '../../../test/support/plants/plants-of.js';

const fern = { id: 1n, name: 'Fern', tag: 'outdoor', addedAt: 5 };
const rose = { id: 2n, name: 'Rose', addedAt: null };

/** Replaces a plant, and nothing else. */
function update(id: bigint, replace: (plant: StoredPlant) => StoredPlant | undefined): Change<Plant> {
  return {
    id,
    bytes: 100,
    replace: (existing) => (existing === undefined || isTombstone(existing) ? undefined : replace(existing)),
  };
}

/** Adds a text to the name of a plant. */
const append = (id: bigint, text: string) =>
  update(id, (plant) => ({ ...plant, name: plant.name + text, original: 'o' }));

/** The name of a record, or its state in a word. */
const nameOf = (record: PlantRecord | undefined) =>
  record === undefined ? '-' : isTombstone(record) ? 'deleted' : record.name;

/** Reuses the id of a deleted plant for another one. */
const giving = (plant: StoredPlant): Change<Plant> => ({
  id: plant.id,
  bytes: 100,
  replace: (existing) => (existing !== undefined && isTombstone(existing) ? plant : undefined),
});

describe.each(storesWithShards())('changing plants on %s', (kind) => {
  const { store, testDatabase } = usePlantStore(kind);
  const change = (...changes: readonly Change<Plant>[]) => store.change(changes);
  const find = async (...ids: readonly bigint[]) => {
    const found = new Map((await store.find(ids)).map((record) => [record.id, record]));
    return ids.map((id) => found.get(id));
  };

  it('passes the result of each change of an id to the next change of that id', async () => {
    await store.create([fern, rose]);
    const given = { id: 1n, name: 'G', addedAt: null };
    const outcomes = await change(
      append(1n, 'a'),
      append(2n, 'a'),
      append(1n, 'b'),
      append(3n, 'a'),
      removalOf<Plant>(1n),
      append(1n, 'c'),
      removalOf<Plant>(1n),
      giving(given),
      giving(given),
      append(1n, 'd'),
      removalOf<Plant>(3n, true),
      giving({ ...rose, id: 3n }),
    );
    expect(outcomes.map(({ before, after }) => [nameOf(before), nameOf(after)])).toEqual([
      ['Fern', 'Ferna'],
      ['Rose', 'Rosea'],
      ['Ferna', 'Fernab'],
      ['-', '-'],
      ['Fernab', 'deleted'],
      ['deleted', '-'],
      ['deleted', '-'],
      ['deleted', 'G'],
      ['G', '-'],
      ['G', 'Gd'],
      ['-', 'deleted'],
      ['deleted', 'Rose'],
    ]);
    expect(await find(1n, 2n, 3n)).toMatchObject([{ name: 'Gd' }, { name: 'Rosea' }, { name: 'Rose' }]);
    expect(await change()).toEqual([]);
  });

  it('keeps the time of a deleted plant, but neither its texts nor its original', async () => {
    await store.create([fern]);
    await change(append(1n, 'a'), removalOf(1n));
    const [row] = await testDatabase.query('SELECT name, tag, original, added_at FROM plants');
    expect({ ...row, added_at: Number((row as { added_at: unknown }).added_at) }).toEqual({
      name: '',
      tag: null,
      original: null,
      added_at: 5,
    });
    // A plant that reuses the id has its own time, or none.
    await change(giving({ id: 1n, name: 'Ivy', addedAt: null }));
    expect(await find(1n)).toMatchObject([{ name: 'Ivy', addedAt: undefined, original: undefined }]);
  });

  it('returns who created a plant, and who changed it last', async () => {
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
    // The second change has no author.
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
});
