import { expect, it } from 'vitest';
import type { PlantRecord } from '../plants/plant-store.js';
import { insertInOrder, resolveInsertOutcomes } from './resolve-insert-outcomes.js';
import { isTombstone, stored } from './store.js';

it('rejects a delete that the database silently ignores', async () => {
  const tombstone = { id: 1n, deleted: true } as const;
  const outcomes = resolveInsertOutcomes([tombstone], new Set(), async () => [{ id: 1n, name: 'Fern' }]);
  await expect(outcomes).rejects.toThrow('The record 1 was not deleted');
  expect(await resolveInsertOutcomes([tombstone], new Set(), async () => [tombstone])).toEqual([
    { stored: false, existing: tombstone },
  ]);
});

it('inserts at most twice, however often an id occurs beside a tombstone', async () => {
  const inserts: (readonly PlantRecord[])[] = [];
  const insert = async (records: readonly PlantRecord[]) => {
    inserts.push(records);
    return records.map((record) => (isTombstone(record) ? stored : { stored: false, existing: record }));
  };
  const [fern, rose] = [
    { id: 1n, name: 'Fern' },
    { id: 2n, name: 'Rose' },
  ];
  const [noFern, noRose] = [
    { id: 1n, deleted: true },
    { id: 2n, deleted: true },
  ] as const;
  await insertInOrder([fern, noRose], insert);
  await insertInOrder([noFern, noFern], insert);
  expect(inserts.splice(0)).toEqual([[fern, noRose], [noFern]]);
  const retries = Array.from({ length: 100 }, () => fern);
  const outcomes = await insertInOrder([...retries, noRose, rose, noFern, noFern, fern, noRose], insert);
  expect(inserts).toEqual([retries, [noRose, noFern]]);
  const late = (existing: typeof noFern | typeof noRose) => ({ stored: false, existing });
  expect(outcomes).toEqual([
    ...retries.map((existing) => ({ stored: false, existing })),
    ...[stored, late(noRose), stored, late(noFern), late(noFern), late(noRose)],
  ]);
});
