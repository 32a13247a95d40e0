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
    await Promise.all(sizes.map((size, index) => batcher.write(plant(index + 1, 'x'.repeat(size)), 1)));
    expect(batches).toEqual(expected);
  },
);

it('counts the bytes of names and tags in UTF-8', async () => {
  const { store, batches } = createTestStore();
  const batcher = createBatcher(store.insert, { ...highBatcherLimits, batchBytes: 9 });
  await Promise.all([
    batcher.write({ id: 1n, name: '🌱', tag: 'é' }, 1),
    batcher.write({ id: 2n, name: 'abc' }, 1),
    batcher.write({ id: 3n, name: 'a' }, 1),
  ]);
  expect(batches).toEqual([[1, 2], [3]]);
});

it.each([
  { limit: 'plants', limits: { ...highBatcherLimits, queuePlants: 4 } },
  { limit: 'bytes', limits: { ...highBatcherLimits, queueBytes: 40 } },
])(
  'rejects plants of a caller beyond its half of the queue limit of $limit, and accepts more once there is room',
  async ({ limits }) => {
    const { store, batches, release } = createHeldStore();
    const batcher = createBatcher(store.insert, limits);
    const write = (id: number) => batcher.write(plant(id, 'ten bytes.'), 1);
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

it('is full for a caller while the queue has as many of its plants as the limit allows', async () => {
  const { store, release } = createHeldStore();
  const batcher = createBatcher(store.insert, { ...highBatcherLimits, queuePlants: 4 });
  const writes = plantsOf(1, 2, 3).map((next) => batcher.write(next, 1));
  expect(batcher.isFull(1)).toBe(false);
  writes.push(batcher.write(plant(4), 1));
  expect([batcher.isFull(1), batcher.isFull(2)]).toEqual([true, false]);
  for (let count = 0; count < 2; count++) await release();
  await Promise.all(writes);
  expect(batcher.isFull(1)).toBe(false);
});

it.each([
  { limit: 'plants', limits: { ...highBatcherLimits, queuePlants: 4 }, expected: [[1, 2], [3, 4], [5]] },
  { limit: 'bytes', limits: { ...highBatcherLimits, queueBytes: 40 }, expected: [[1, 2], [3, 4], [5]] },
])(
  'flushes the queue when its limit of $limit is reached, rather than rejecting more plants',
  async ({ limits, expected }) => {
    const { store, batches } = createTestStore();
    const batcher = createBatcher(store.insert, limits, () => createSingleQueue(limits, 3, oneCaller));
    const writes = plantsOf(1, 2, 3, 4, 5).map(({ id }) => batcher.write(plant(Number(id), 'ten bytes.'), 1));
    expect(await Promise.all(writes)).toEqual(Array(5).fill(stored));
    expect(batches).toEqual(expected);
  },
);

it('accepts a plant of any size while the queue is empty', async () => {
  const { store } = createTestStore();
  const batcher = createBatcher(store.insert, { ...highBatcherLimits, queueBytes: 10 });
  expect(await batcher.write(plant(1, 'x'.repeat(1000)), 1)).toEqual(stored);
});

it('gives each of several callers an equal part of a batch, and takes their plants in turn', async () => {
  const { store, batches } = createTestStore();
  const limits = { ...highBatcherLimits, batchPlants: 6 };
  const batcher = createBatcher(store.insert, limits, () => createSingleQueue(limits, 1, { count: () => 3 }));
  const many = plantsOf(1, 2, 3, 4).map((next) => batcher.write(next, 'many'));
  const few = [batcher.write(plant(11), 'few'), batcher.write(plant(12), 'other')];
  await Promise.all([...many, ...few]);
  expect(batches).toEqual([
    [1, 11, 12, 2],
    [3, 4],
  ]);
});
