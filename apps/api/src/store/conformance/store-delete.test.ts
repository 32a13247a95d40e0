import type { NewPlant } from '@plant-store/contract';
import { describe, expect, it } from 'vitest';
import { collect } from '../../../test/support/collect.js';
import {
  highPageLimits,
  storesWithShards,
  usePlantStore,
} from '../../../test/support/database/use-plant-store.js';
import type { PlantRecord } from '../../plants/plant-store.js';
import type { Tombstone } from '../store.js';

const stored = { stored: true };
const taken = (existing: NewPlant | Tombstone) => ({ stored: false, existing });
const tombstone = (id: bigint): Tombstone => ({ id, deleted: true });
const fern = { id: 1n, name: 'Fern', tag: 'outdoor' };
const rose = { id: 2n, name: 'Rose' };

describe.each(storesWithShards())('tombstones on %s', (kind) => {
  const { store, testDatabase, readAll } = usePlantStore(kind);
  const listLimits = { plants: 100, bytes: 1e6, matches: 100 };
  const list = async (order: 'id' | 'newest' | 'untimed') => {
    const { plants } = await store.list({ order }, listLimits);
    return plants.map(({ id }) => id);
  };

  it('erase a plant, whose id stays taken for good', async () => {
    await store.insert([fern, rose]);
    expect(await store.insert([tombstone(1n)])).toEqual([stored]);
    expect(await store.insert([fern, tombstone(1n), rose])).toEqual([
      taken(tombstone(1n)),
      taken(tombstone(1n)),
      taken(rose),
    ]);
    expect(await store.find([1n])).toEqual([tombstone(1n)]);
    expect(await readAll()).toEqual([tombstone(1n), rose]);
    expect(await testDatabase.query('SELECT name, tag FROM plants WHERE id = 1')).toEqual([
      { name: '', tag: null },
    ]);
  });

  it('take an id that no plant has', async () => {
    expect(await store.insert([tombstone(3n), rose])).toEqual([stored, stored]);
    expect(await store.insert([{ id: 3n, name: 'late' }])).toEqual([taken(tombstone(3n))]);
    expect(await readAll()).toEqual([rose, tombstone(3n)]);
  });

  it('have the outcome of calls one after the other, in whatever order they are in one', async () => {
    await store.insert([fern]);
    const other = { id: 1n, name: 'other' };
    expect(
      await store.insert([fern, other, tombstone(1n), fern, rose, rose, tombstone(2n), tombstone(2n), rose]),
    ).toEqual([
      taken(fern),
      taken(fern),
      stored,
      taken(tombstone(1n)),
      stored,
      taken(rose),
      stored,
      taken(tombstone(2n)),
      taken(tombstone(2n)),
    ]);
    expect(await readAll()).toEqual([tombstone(1n), tombstone(2n)]);
  });

  it('are stored beside plants with one id', async () => {
    const another = { id: 2n, name: 'another' };
    const outcomes = await store.insert([tombstone(1n), rose, another, rose]);
    expect(outcomes).toEqual([stored, stored, taken(rose), taken(rose)]);
  });

  it('are stored among many plants of one call', async () => {
    const plants = Array.from({ length: 300 }, (_, id) => ({ id: BigInt(id), name: `${id}` }));
    await store.insert(plants.slice(0, 200));
    const records: PlantRecord[] = plants.map((plant, index) =>
      index % 3 === 0 ? tombstone(plant.id) : plant,
    );
    const outcomes = await store.insert(records);
    expect(outcomes).toEqual(
      plants.map((plant, index) => (index % 3 === 0 || index >= 200 ? stored : taken(plant))),
    );
    expect(await readAll()).toEqual(records);
  });

  it('are in no list', async () => {
    await store.insert([
      fern,
      rose,
      { id: 3n, name: 'old', addedAt: null },
      { id: 4n, name: 'Ivy', addedAt: null },
    ]);
    await store.insert([tombstone(1n), tombstone(3n), tombstone(5n)]);
    expect(await list('id')).toEqual([2n, 4n]);
    expect(await list('newest')).toEqual([2n]);
    expect(await list('untimed')).toEqual([4n]);
    const { plants } = await store.list({ order: 'id', q: '' }, listLimits);
    expect(plants.map(({ id }) => id)).toEqual([2n, 4n]);
    // They do not count as plants that match.
    const first = await store.list({ order: 'id', q: '' }, { ...listLimits, matches: 1 });
    expect(first).toMatchObject({ plants: [{ id: 2n }], last: { id: 2n } });
  });

  it('are in pages that are read one after the other', async () => {
    await store.insert([fern, rose, tombstone(3n), tombstone(4n)]);
    await store.insert([tombstone(2n)]);
    const pages = await collect(store.read(1n, { ...highPageLimits, plants: 1 }));
    expect(pages.flat()).toEqual([tombstone(2n), tombstone(3n), tombstone(4n)]);
  });

  it('and plants with one id that are stored at the same time end in one of the two orders', async () => {
    const ids = Array.from({ length: 200 }, (_, id) => BigInt(id));
    const pairs = await Promise.all(
      ids.map((id) => Promise.all([store.insert([{ id, name: 'raced' }]), store.insert([tombstone(id)])])),
    );
    for (const [index, [[created], [deleted]]] of pairs.entries()) {
      expect(deleted).toEqual(stored);
      if (!created?.stored) expect(created?.existing).toEqual(tombstone(BigInt(index)));
    }
    expect(await readAll()).toEqual(ids.map(tombstone));
  });
});
