import { expect, it } from 'vitest';
import {
  createHeldStore,
  createTestStore,
  highBatcherLimits,
  oneCaller,
  plant,
  stored,
} from '../../test/support/plants/create-test-store.js';
import { plantsOf } from '../../test/support/plants/plants-of.js';
import type { PlantOutcome } from '../plants/plant-store.js';
import { createBatcher, createSingleQueue } from './batcher.js';

it('stores a single plant in the turn of the event loop in which it arrives', async () => {
  const { store, batches } = createTestStore();
  const batcher = createBatcher(store.insert, highBatcherLimits);
  const outcome = batcher.write(plant(1), 1);
  await new Promise(setImmediate);
  expect(batches).toEqual([[1]]);
  expect(await outcome).toEqual(stored);
});

it.each([
  { batchPlants: 100, expected: [[1, 2, 3, 4]] },
  { batchPlants: 3, expected: [[1, 2, 3], [4]] },
])(
  'batches plants as long as each turn brings more, up to $batchPlants plants',
  async ({ batchPlants, expected }) => {
    const { store, batches } = createTestStore();
    const batcher = createBatcher(store.insert, { ...highBatcherLimits, batchPlants });
    const writes = [batcher.write(plant(1), 1), batcher.write(plant(2), 1)];
    for (const id of [3, 4]) {
      await new Promise(setImmediate);
      writes.push(batcher.write(plant(id), 1));
    }
    await Promise.all(writes);
    expect(batches).toEqual(expected);
  },
);

it('stores plants that arrive while an insert is in flight in one batch, in order', async () => {
  const { store, batches, release } = createHeldStore();
  const batcher = createBatcher(store.insert, highBatcherLimits);
  const first = batcher.write(plant(1), 1);
  while (batches.length === 0) await new Promise(setImmediate);
  const others = plantsOf(2, 3, 4).map((next) => batcher.write(next, 1));
  await release();
  expect(await first).toEqual(stored);
  await release();
  expect(await Promise.all(others)).toEqual([stored, stored, stored]);
  expect(batches).toEqual([[1], [2, 3, 4]]);
});

it('has as many inserts in flight as it may, and batches the plants that arrive meanwhile', async () => {
  const { store, batches, release } = createHeldStore();
  const batcher = createBatcher(store.insert, highBatcherLimits, () =>
    createSingleQueue(highBatcherLimits, 2, oneCaller),
  );
  const writes: Promise<PlantOutcome>[] = [];
  for (const count of [1, 2, 3]) {
    writes.push(...plantsOf(1, 2, 3).map((next) => batcher.write(next, 1)));
    while (batches.length < Math.min(count, 2)) await new Promise(setImmediate);
  }
  writes.push(batcher.write(plant(4), 1));
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect(batches).toEqual([
    [1, 2, 3],
    [1, 2, 3],
  ]);
  await release();
  await Promise.all(writes.slice(0, 3));
  await release();
  await release();
  expect(await Promise.all(writes)).toHaveLength(10);
  expect(batches[2]).toEqual([1, 2, 3, 4]);
  await batcher.idle();
});

it('flushes plants that did not fit into the previous batch without waiting for it', async () => {
  const { store, batches, release } = createHeldStore();
  const limits = { ...highBatcherLimits, batchPlants: 2 };
  const batcher = createBatcher(store.insert, limits, () => createSingleQueue(limits, 2, oneCaller));
  const writes = plantsOf(1, 2, 3, 4, 5).map((next) => batcher.write(next, 1));
  while (batches.length < 2) await new Promise(setImmediate);
  expect(batches).toEqual([
    [1, 2],
    [3, 4],
  ]);
  for (const _ of batches) await release();
  await release();
  await Promise.all(writes);
  expect(batches[2]).toEqual([5]);
});

it('is idle once the queue is empty and no insert is in flight', async () => {
  const { store, batches, release } = createHeldStore();
  const batcher = createBatcher(store.insert, { ...highBatcherLimits, batchPlants: 1 });
  await batcher.idle();
  const writes = plantsOf(1, 2).map((next) => batcher.write(next, 1));
  let idle = false;
  const idling = batcher.idle().then(() => {
    idle = true;
  });
  await release();
  await writes[0];
  expect(idle).toBe(false);
  await release();
  await idling;
  expect(batches).toEqual([[1], [2]]);
});
