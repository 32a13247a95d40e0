import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createTestStore,
  highBatcherLimits,
  plant,
  stored,
} from '../../test/support/plants/create-test-store.js';
import { plantsOf } from '../../test/support/plants/plants-of.js';
import { ServiceError } from '../errors/service-error.js';
import { createPlantBatcher, type PlantBatcherLimits } from './plant-batcher.js';
import type { PlantStore } from './plant-store.js';
import { type Routing, toOneDestination } from './routing.js';

it('rejects only the plant that the store cannot insert, and stores the rest of its batch in order', async () => {
  const { store, batches } = createTestStore((plants) =>
    plants.some(({ id }) => id === 3n) ? new Error('row 3') : undefined,
  );
  const batcher = createPlantBatcher(store, highBatcherLimits);
  const outcomes = await Promise.allSettled(plantsOf(1, 2, 3, 4, 5).map((next) => batcher.write(next)));
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
  const batcher = createPlantBatcher(store, highBatcherLimits);
  const outcomes = await Promise.allSettled(plantsOf(1, 2, 3).map((next) => batcher.write(next)));
  expect(outcomes).toEqual(Array(3).fill({ status: 'rejected', reason: away }));
  expect(batches).toEqual([[1, 2, 3]]);
  answering = true;
  expect(await batcher.write(plant(1))).toEqual(stored);
});

it('rejects the rest of a batch that is split, once the database does not answer for a part of it', async () => {
  const away = new ServiceError('database_unavailable', 'away');
  const { store, batches } = createTestStore((plants) =>
    plants.length === 4 ? new Error('one of them') : away,
  );
  const batcher = createPlantBatcher(store, highBatcherLimits);
  const outcomes = await Promise.allSettled(plantsOf(1, 2, 3, 4).map((next) => batcher.write(next)));
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
  async function beginOutage(limits: PlantBatcherLimits) {
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
    const batcher = createPlantBatcher({ insert }, limits);
    const first = batcher.write(plant(1));
    while (answers.length === 0) await new Promise(setImmediate);
    return { batcher, first, answer, batches };
  }

  it('rejects the plants that are queued, and none that arrive later', async () => {
    const { batcher, first, answer, batches } = await beginOutage({ ...highBatcherLimits, queuePlants: 2 });
    const queued = plantsOf(2, 3).map((next) => batcher.write(next));
    await answer();
    expect(await Promise.allSettled([first, ...queued])).toEqual(Array(3).fill(rejected));
    const later = plantsOf(4, 5).map((next) => batcher.write(next));
    await answer();
    expect(await Promise.all(later)).toEqual([stored, stored]);
    expect(batches).toEqual([[1], [4, 5]]);
  });

  it('rejects the plants of a scheduled flush, which then inserts nothing', async () => {
    const { batcher, first, answer, batches } = await beginOutage({
      ...highBatcherLimits,
      routing: toOneDestination(2),
    });
    const scheduled = batcher.write(plant(2));
    await answer();
    expect(await Promise.allSettled([first, scheduled])).toEqual(Array(2).fill(rejected));
    await batcher.idle();
    expect(batches).toEqual([[1]]);
  });
});

it('never acknowledges a plant that the store returned no outcome for', async () => {
  const batcher = createPlantBatcher({ insert: async () => [stored] }, highBatcherLimits);
  const outcomes = await Promise.allSettled(plantsOf(1, 2).map((next) => batcher.write(next)));
  expect(outcomes).toMatchObject([
    { status: 'fulfilled' },
    { reason: { message: expect.stringContaining('no outcome') } },
  ]);
});

describe('after a failure of the database', () => {
  const delayAfterFailureMs = 60_000;
  /** The even ids and the odd ones fail together; each of both has two destinations. */
  const routing: Routing = {
    destinationOf: (id) => Number(id % 4n),
    insertsPerDestination: 1,
    inserts: 4,
    groups: { groupOf: (destination) => destination % 2, insertsPerGroup: 2, delayAfterFailureMs },
  };

  /** A batcher whose odd ids have just been rejected. */
  async function failOddIds() {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const away = new ServiceError('database_unavailable', 'away');
    const state = { isAway: true };
    const { store, batches } = createTestStore(([first]) =>
      state.isAway && Number(first?.id) % 2 === 1 ? away : undefined,
    );
    const batcher = createPlantBatcher(store, { ...highBatcherLimits, routing });
    await expect(batcher.write(plant(1))).rejects.toBe(away);
    return { batcher, batches, state, away };
  }

  it('all that arrive within a delay for destinations that fail together share an attempt', async () => {
    const { batcher, batches, state, away } = await failOddIds();
    for (const isAway of [true, false]) {
      state.isAway = isAway;
      const waiting = Promise.allSettled(plantsOf(5, 9, 3, 7, 13).map((next) => batcher.write(next)));
      await vi.advanceTimersByTimeAsync(delayAfterFailureMs - 1);
      // The others do not wait.
      expect(await batcher.write(plant(2))).toEqual(stored);
      expect(batches.splice(0)).toEqual(isAway ? [[1], [2]] : [[2]]);
      await vi.advanceTimersByTimeAsync(1);
      const outcome = isAway ? { status: 'rejected', reason: away } : { status: 'fulfilled', value: stored };
      expect(await waiting).toEqual(Array(5).fill(outcome));
      expect(batches.splice(0)).toEqual([
        [5, 9, 13],
        [3, 7],
      ]);
    }
    expect(await batcher.write(plant(17))).toEqual(stored);
  });

  it('is idle only once what waits for the delay is stored', async () => {
    const { batcher, state } = await failOddIds();
    state.isAway = false;
    const write = batcher.write(plant(5));
    let isIdle = false;
    const idle = batcher.idle().then(() => {
      isIdle = true;
    });
    await vi.advanceTimersByTimeAsync(delayAfterFailureMs - 1);
    expect(isIdle).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await idle;
    expect(await write).toEqual(stored);
    expect(batcher.queued().plants).toBe(0);
  });
});
