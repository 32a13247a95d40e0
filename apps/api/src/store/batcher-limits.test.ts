import { expect, it } from 'vitest';
import {
  createHeldStore,
  createTestStore,
  highBatcherLimits,
  plant,
  stored,
} from '../../test/support/plants/create-test-store.js';
import { plantsOf } from '../../test/support/plants/plants-of.js';
import { createBatcher, createSingleQueue } from './batcher.js';

it.each([
  { limit: 'plants', limits: { ...highBatcherLimits, batchPlants: 2 }, expected: [[1, 2], [3, 4], [5]] },
  { limit: 'bytes', limits: { ...highBatcherLimits, batchBytes: 250 }, expected: [[1, 2], [3], [4, 5]] },
])(
  'keeps a batch within its limit of $limit, and stores a larger plant alone',
  async ({ limits, expected }) => {
    const { store, batches } = createTestStore();
    const batcher = createBatcher(store.insert, limits);
    const sizes = [100, 100, 300, 100, 50];
    await Promise.all(sizes.map((size, index) => batcher.write(plant(index + 1, 'x'.repeat(size)))));
    expect(batches).toEqual(expected);
  },
);

it('counts the bytes of names and tags in UTF-8', async () => {
  const { store, batches } = createTestStore();
  const batcher = createBatcher(store.insert, { ...highBatcherLimits, batchBytes: 9 });
  await Promise.all([
    batcher.write({ id: 1n, name: '🌱', tag: 'é' }),
    batcher.write({ id: 2n, name: 'abc' }),
    batcher.write({ id: 3n, name: 'a' }),
  ]);
  expect(batches).toEqual([[1, 2], [3]]);
});

it.each([
  { limit: 'plants', limits: { ...highBatcherLimits, queuePlants: 2 } },
  { limit: 'bytes', limits: { ...highBatcherLimits, queueBytes: 20 } },
])(
  'rejects plants beyond the queue limit of $limit, and accepts more once there is room',
  async ({ limits }) => {
    const { store, batches, release } = createHeldStore();
    const batcher = createBatcher(store.insert, limits);
    const write = (id: number) => batcher.write(plant(id, 'ten bytes.'));
    const first = write(1);
    while (batches.length === 0) await new Promise(setImmediate);
    const accepted = [write(2), write(3)];
    await expect(write(4)).rejects.toMatchObject({
      errorName: 'overloaded',
      headers: { 'Retry-After': '1' },
    });
    await release();
    await release();
    await Promise.all([first, ...accepted]);
    const later = write(5);
    await release();
    expect(await later).toEqual(stored);
    expect(batches).toEqual([[1], [2, 3], [5]]);
  },
);

it('is full while the queue has as many plants as its limit allows', async () => {
  const { store, release } = createHeldStore();
  const batcher = createBatcher(store.insert, { ...highBatcherLimits, queuePlants: 2 });
  const writes = plantsOf(1, 2, 3).map((next) => batcher.write(next));
  expect(batcher.isFull()).toBe(false);
  writes.push(batcher.write(plant(4)));
  expect(batcher.isFull()).toBe(true);
  for (let count = 0; count < 2; count++) await release();
  await Promise.all(writes);
  expect(batcher.isFull()).toBe(false);
});

it.each([
  { limit: 'plants', limits: { ...highBatcherLimits, queuePlants: 2 }, expected: [[1, 2], [3, 4], [5]] },
  { limit: 'bytes', limits: { ...highBatcherLimits, queueBytes: 20 }, expected: [[1, 2], [3, 4], [5]] },
])(
  'flushes the queue when its limit of $limit is reached, rather than rejecting more plants',
  async ({ limits, expected }) => {
    const { store, batches } = createTestStore();
    const batcher = createBatcher(store.insert, limits, () => createSingleQueue(limits, 3));
    const writes = plantsOf(1, 2, 3, 4, 5).map(({ id }) => batcher.write(plant(Number(id), 'ten bytes.')));
    expect(await Promise.all(writes)).toEqual(Array(5).fill(stored));
    expect(batches).toEqual(expected);
  },
);

it('accepts a plant of any size while the queue is empty', async () => {
  const { store } = createTestStore();
  const batcher = createBatcher(store.insert, { ...highBatcherLimits, queueBytes: 10 });
  expect(await batcher.write(plant(1, 'x'.repeat(1000)))).toEqual(stored);
});
