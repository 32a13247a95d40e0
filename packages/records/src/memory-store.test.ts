import type { Plant } from '@plant-store/contract';
import type { Resource } from '@plant-store/contract/resource';
import { resources } from '@plant-store/contract/resources';
import { expect, it } from 'vitest';
import { testStore } from '../test/conformance/index.js';
import { type Garden, garden, gardens } from '../test/garden.js';
import { plants } from '../test/plants.js';
import { createMemoryStore } from './memory-store.js';
import { removalOf } from './store.js';

function openMemory<Fields extends object>(resource: Resource) {
  return async () => {
    const changes = { generation: '00000001', number: 0 };
    const store = createMemoryStore<Fields>(resource, { now: Date.now, changes });
    return {
      store,
      empty: async () => store.replaceAll([]),
      async invalidateCursors() {
        changes.generation = `${Number(changes.generation) + 1}`.padStart(8, '0');
      },
    };
  };
}

testStore<Plant>(resources.plant, plants, openMemory(resources.plant));
testStore<Garden>(garden, gardens, openMemory(garden));

const [fern, rose, ivy] = [{ name: 'Fern', tag: 'a' }, { name: 'Rose' }, { name: 'Ivy' }];
const high = { matches: 1_000, records: 10_000, bytes: 1e9 };
let ms = 0;
const open = () => createMemoryStore<Plant>(resources.plant, { now: () => ++ms });

it('has the fields of the records in the order of storage, and updates them in place', async () => {
  const store = open();
  const { records } = store;
  for (const [id, plant] of [fern, rose, ivy].entries()) await store.create({ ...plant, id: BigInt(3 - id) });
  const rename = (id: bigint) => ({ id, bytes: 0, replace: () => ({ id, name: 'new', original: 'o' }) });
  await store.change(rename(3n));
  await store.change(removalOf(2n));
  expect([...records]).toEqual([
    [3n, { name: 'new' }],
    [1n, ivy],
  ]);
  await store.change({ ...rename(2n), replace: () => ({ id: 2n, ...rose }) });
  expect([...records.keys()]).toEqual([3n, 1n, 2n]);
});

it('replaces everything, and keeps all data of each record', async () => {
  const store = open();
  await store.create({ ...fern, id: 1n });
  const given = [
    { ...rose, id: 2n, addedAt: 7 },
    { ...ivy, id: 1n, original: 'o', addedAt: null },
    { id: 3n, deleted: true as const },
  ];
  store.replaceAll(given);
  expect([...store.records.keys()]).toEqual([2n, 1n]);
  expect(await store.find(1n)).toEqual({ ...ivy, id: 1n, original: 'o' });
  expect(await store.find(2n)).toEqual(given[0]);
  expect(await store.find(3n)).toEqual(given[2]);
  const { changes } = await store.listChanges(undefined, high);
  expect(changes.map(({ record }) => record.id)).toEqual([2n, 1n, 3n]);
  store.replaceAll([]);
  expect(await store.list({ order: 'id' }, high)).toEqual({ records: [], last: undefined });
});

it('shares the order of changes with the stores of other resources', async () => {
  const changes = { generation: '0a1b2c3d', number: 0 };
  const options = { now: () => 1, changes };
  const store = createMemoryStore<Plant>(resources.plant, options);
  const other = createMemoryStore<Garden>(garden, options);
  await store.create({ ...fern, id: 1n });
  await other.create({ ...gardens[0], id: 1n });
  await store.create({ ...fern, id: 2n });
  expect(await store.lastChange()).toEqual({ generation: '0a1b2c3d', number: 3, id: 2n });
  const last = await other.lastChange();
  expect(last).toEqual({ generation: '0a1b2c3d', number: 2, id: 1n });
  // The last position of one store is valid in the other one.
  expect((await other.listChanges(await store.lastChange(), high)).changes).toEqual([]);
  expect((await store.listChanges(last, high)).changes).toHaveLength(1);
});

it('has no empty page after the last page of a filter', async () => {
  const store = open();
  for (let id = 0n; id < 5n; id++) await store.create({ ...(id < 3n ? fern : rose), id });
  const list = (matches: number) => store.list({ order: 'id', equal: { tag: ['a'] } }, { ...high, matches });
  expect(await list(3)).toMatchObject({ last: undefined });
  expect(await list(2)).toMatchObject({ last: { id: 1n } });
});

it('stores, lists, and follows 20,000 records without delay', async () => {
  const store = open();
  const count = 20_000n;
  const startedAt = performance.now();
  for (let id = 0n; id < count; id++) await store.create({ ...fern, id: (id * 7_919n) % count });
  for (const sorting of ['newest', 'name']) {
    let { last } = await store.list({ order: sorting }, high);
    for (let page = 1; page < 10; page++)
      ({ last } = await store.list({ order: sorting, after: last }, high));
    expect(last).toBeDefined();
  }
  for (let id = 0n; id < 100n; id++) {
    await store.change(removalOf(id));
    const { changes } = await store.listChanges(await store.lastChange(), high);
    expect(changes).toEqual([]);
  }
  // It takes a second, and would take minutes if each page sorted all records.
  expect(performance.now() - startedAt).toBeLessThan(30_000);
  expect(store.records.size).toBe(19_900);
});
