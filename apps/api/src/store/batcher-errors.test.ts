import { describe, expect, it } from 'vitest';
import {
  createTestStore,
  highBatcherLimits,
  oneCaller,
  plant,
  stored,
} from '../../test/support/plants/create-test-store.js';
import { plantsOf } from '../../test/support/plants/plants-of.js';
import { ServiceError } from '../errors/service-error.js';
import type { PlantStore } from '../plants/plant-store.js';
import { createBatcher, createSingleQueue } from './batcher.js';

it('rejects only the plant that the store cannot insert, and stores the rest of its batch in order', async () => {
  const { store, batches } = createTestStore((plants) =>
    plants.some(({ id }) => id === 3n) ? new Error('row 3') : undefined,
  );
  const batcher = createBatcher(store.insert, highBatcherLimits);
  const outcomes = await Promise.allSettled(plantsOf(1, 2, 3, 4, 5).map((next) => batcher.write(next, 1)));
  expect(outcomes.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
  ]);
  expect(outcomes[2]).toMatchObject({ reason: { message: 'row 3' } });
  expect(batches.flat().filter((id) => id === 5).length).toBeGreaterThan(1);
});

it('rejects the entire batch when the database does not answer', async () => {
  const away = new ServiceError('database_unavailable', 'away');
  let answering = false;
  const { store, batches } = createTestStore(() => (answering ? undefined : away));
  const batcher = createBatcher(store.insert, highBatcherLimits);
  const outcomes = await Promise.allSettled(plantsOf(1, 2, 3).map((next) => batcher.write(next, 1)));
  expect(outcomes).toEqual(Array(3).fill({ status: 'rejected', reason: away }));
  expect(batches).toEqual([[1, 2, 3]]);
  answering = true;
  expect(await batcher.write(plant(1), 1)).toEqual(stored);
});

it('rejects those plants alone that the store refuses', async () => {
  const away = new ServiceError('database_unavailable', 'away');
  const batches: bigint[][] = [];
  const batcher = createBatcher(async (plants) => {
    batches.push(plants.map(({ id }) => id));
    return plants.map(({ id }) => (id === 2n ? away : stored));
  }, highBatcherLimits);
  const outcomes = await Promise.allSettled(plantsOf(1, 2, 3).map((next) => batcher.write(next, 1)));
  const fulfilled = { status: 'fulfilled', value: stored };
  expect(outcomes).toEqual([fulfilled, { status: 'rejected', reason: away }, fulfilled]);
  expect(batches).toEqual([[1n, 2n, 3n]]);
});

it('rejects the rest of a batch that is split, once the database does not answer for a part of it', async () => {
  const away = new ServiceError('database_unavailable', 'away');
  const { store, batches } = createTestStore((plants) =>
    plants.length === 4 ? new Error('one of them') : away,
  );
  const batcher = createBatcher(store.insert, highBatcherLimits);
  const outcomes = await Promise.allSettled(plantsOf(1, 2, 3, 4).map((next) => batcher.write(next, 1)));
  expect(outcomes).toEqual(Array(4).fill({ status: 'rejected', reason: away }));
  expect(batches).toEqual([
    [1, 2, 3, 4],
    [1, 2],
  ]);
});

describe('after a batch that the database did not answer', () => {
  const away = new ServiceError('database_unavailable', 'away');
  const rejected = { status: 'rejected', reason: away };

  /** Starts the insert of plant 1, which rejects as unavailable with the first `answer`. Later inserts succeed. */
  async function beginOutage(limits = highBatcherLimits, inserts = 1) {
    const answers: (() => void)[] = [];
    const { store, batches } = createTestStore(([first]) => (first?.id === 1n ? away : undefined));
    const insert: PlantStore['insert'] = async (plants) => {
      await new Promise<void>((resolve) => answers.push(resolve));
      return store.insert(plants);
    };
    const answer = async () => {
      while (answers.length === 0) await new Promise(setImmediate);
      answers.shift()?.();
    };
    const batcher = createBatcher(insert, limits, () => createSingleQueue(limits, inserts, oneCaller));
    const first = batcher.write(plant(1), 1);
    while (answers.length === 0) await new Promise(setImmediate);
    return { batcher, first, answer, batches };
  }

  it('rejects the plants that are queued, and none that arrive later', async () => {
    const { batcher, first, answer, batches } = await beginOutage({ ...highBatcherLimits, queuePlants: 4 });
    const queued = plantsOf(2, 3).map((next) => batcher.write(next, 1));
    await answer();
    expect(await Promise.allSettled([first, ...queued])).toEqual(Array(3).fill(rejected));
    const later = plantsOf(4, 5).map((next) => batcher.write(next, 1));
    await answer();
    expect(await Promise.all(later)).toEqual([stored, stored]);
    expect(batches).toEqual([[1], [4, 5]]);
  });

  it('rejects the plants of a scheduled flush, which then inserts nothing', async () => {
    const { batcher, first, answer, batches } = await beginOutage(highBatcherLimits, 2);
    const scheduled = batcher.write(plant(2), 1);
    await answer();
    expect(await Promise.allSettled([first, scheduled])).toEqual(Array(2).fill(rejected));
    await batcher.idle();
    expect(batches).toEqual([[1]]);
  });
});

it('never acknowledges a plant that the store returned no outcome for', async () => {
  const batcher = createBatcher(async () => [stored], highBatcherLimits);
  const outcomes = await Promise.allSettled(plantsOf(1, 2).map((next) => batcher.write(next, 1)));
  expect(outcomes).toMatchObject([
    { status: 'fulfilled' },
    { reason: { message: expect.stringContaining('no outcome') } },
  ]);
});
