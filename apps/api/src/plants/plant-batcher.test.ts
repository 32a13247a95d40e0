import type { NewPlant } from '@plant-store/contract';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../errors/service-error.js';
import { createPlantBatcher, type PlantBatcherLimits } from './plant-batcher.js';
import type { InsertOutcome, PlantStore } from './plant-store.js';

const roomy: PlantBatcherLimits = {
  waitingPlants: 100,
  waitingBytes: 1e6,
  batchPlants: 100,
  batchBytes: 1e6,
};
const stored: InsertOutcome = { stored: true };
const plant = (id: number, name = 'x'): NewPlant => ({ id: BigInt(id), name });

/** A store that notes its batches, and refuses what `fault` finds a fault in. */
function createStore(fault: (plants: readonly NewPlant[]) => Error | undefined = () => undefined) {
  const batches: number[][] = [];
  const store: Pick<PlantStore, 'insert'> = {
    async insert(plants) {
      batches.push(plants.map(({ id }) => Number(id)));
      const error = fault(plants);
      if (error !== undefined) throw error;
      return plants.map(() => stored);
    },
  };
  return { store, batches };
}

/** A store that waits with its answer until it is told to give it. */
function createHeldStore() {
  const { store, batches } = createStore();
  const held: (() => void)[] = [];
  const insert: PlantStore['insert'] = async (plants) => {
    const outcomes = store.insert(plants);
    await new Promise<void>((resolve) => held.push(resolve));
    return outcomes;
  };
  const release = async () => {
    while (held.length === 0) await new Promise(setImmediate);
    held.shift()?.();
  };
  return { store: { insert }, batches, release };
}

const idsOf = (...ids: number[]) => ids.map((id) => plant(id));

it('stores a lone plant in the turn in which it came', async () => {
  const { store, batches } = createStore();
  const writer = createPlantBatcher(store, roomy);
  const outcome = writer.write(plant(1));
  await new Promise(setImmediate);
  expect(batches).toEqual([[1]]);
  expect(await outcome).toEqual(stored);
});

it.each([
  { batchPlants: 100, expected: [[1, 2, 3, 4]] },
  { batchPlants: 3, expected: [[1, 2, 3], [4]] },
])('gathers while each turn brings more, up to $batchPlants plants', async ({ batchPlants, expected }) => {
  const { store, batches } = createStore();
  const writer = createPlantBatcher(store, { ...roomy, batchPlants });
  const writes = [writer.write(plant(1)), writer.write(plant(2))];
  for (const id of [3, 4]) {
    await new Promise(setImmediate);
    writes.push(writer.write(plant(id)));
  }
  await Promise.all(writes);
  expect(batches).toEqual(expected);
});

it('stores in one commit what comes while another is under way, in order', async () => {
  const { store, batches, release } = createHeldStore();
  const writer = createPlantBatcher(store, roomy);
  const first = writer.write(plant(1));
  while (batches.length === 0) await new Promise(setImmediate);
  const others = idsOf(2, 3, 4).map((next) => writer.write(next));
  await release();
  expect(await first).toEqual(stored);
  await release();
  expect(await Promise.all(others)).toEqual([stored, stored, stored]);
  expect(batches).toEqual([[1], [2, 3, 4]]);
});

it.each([
  { limit: 'plants', limits: { ...roomy, batchPlants: 2 }, expected: [[1, 2], [3, 4], [5]] },
  { limit: 'bytes', limits: { ...roomy, batchBytes: 250 }, expected: [[1, 2], [3], [4, 5]] },
])('keeps a batch within its limit of $limit, a larger plant alone', async ({ limits, expected }) => {
  const { store, batches } = createStore();
  const writer = createPlantBatcher(store, limits);
  const sizes = [100, 100, 300, 100, 50];
  await Promise.all(sizes.map((size, index) => writer.write(plant(index + 1, 'x'.repeat(size)))));
  expect(batches).toEqual(expected);
});

it('counts bytes as UTF-8 has them, in names and tags', async () => {
  const { store, batches } = createStore();
  const writer = createPlantBatcher(store, { ...roomy, batchBytes: 9 });
  await Promise.all([
    writer.write({ id: 1n, name: '🌱', tag: 'é' }),
    writer.write({ id: 2n, name: 'abc' }),
    writer.write({ id: 3n, name: 'a' }),
  ]);
  expect(batches).toEqual([[1, 2], [3]]);
});

it.each([
  { limit: 'plants', limits: { ...roomy, waitingPlants: 2 } },
  { limit: 'bytes', limits: { ...roomy, waitingBytes: 20 } },
])(
  'refuses what is past the limit of waiting $limit, and takes more once there is room',
  async ({ limits }) => {
    const { store, batches, release } = createHeldStore();
    const writer = createPlantBatcher(store, limits);
    const write = (id: number) => writer.write(plant(id, 'ten bytes.'));
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

it('says that it is full while as many plants wait as may', async () => {
  const { store, release } = createHeldStore();
  const writer = createPlantBatcher(store, { ...roomy, waitingPlants: 2 });
  const writes = idsOf(1, 2, 3).map((next) => writer.write(next));
  expect(writer.isFull()).toBe(false);
  writes.push(writer.write(plant(4)));
  expect(writer.isFull()).toBe(true);
  for (let count = 0; count < 2; count++) await release();
  await Promise.all(writes);
  expect(writer.isFull()).toBe(false);
});

it.each([
  { limit: 'plants', limits: { ...roomy, waitingPlants: 2 }, expected: [[1, 2], [3, 4], [5]] },
  { limit: 'bytes', limits: { ...roomy, waitingBytes: 20 }, expected: [[1, 2], [3, 4], [5]] },
])(
  'stores what waits when the limit of $limit is reached, rather than refusing more',
  async ({ limits, expected }) => {
    const { store, batches } = createStore();
    const writer = createPlantBatcher(store, { ...limits, concurrentInserts: 3 });
    const writes = idsOf(1, 2, 3, 4, 5).map(({ id }) => writer.write(plant(Number(id), 'ten bytes.')));
    expect(await Promise.all(writes)).toEqual(Array(5).fill(stored));
    expect(batches).toEqual(expected);
  },
);

it('takes a plant of any size while nothing waits', async () => {
  const { store } = createStore();
  const writer = createPlantBatcher(store, { ...roomy, waitingBytes: 10 });
  expect(await writer.write(plant(1, 'x'.repeat(1000)))).toEqual(stored);
});

it('fails only the plant that is at fault, and stores its neighbours in order', async () => {
  const { store, batches } = createStore((plants) =>
    plants.some(({ id }) => id === 3n) ? new Error('row 3') : undefined,
  );
  const writer = createPlantBatcher(store, roomy);
  const outcomes = await Promise.allSettled(idsOf(1, 2, 3, 4, 5).map((next) => writer.write(next)));
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

it('fails the whole batch when the database does not answer', async () => {
  const away = new ServiceError('database_unavailable', 'away');
  let answering = false;
  const { store, batches } = createStore(() => (answering ? undefined : away));
  const writer = createPlantBatcher(store, roomy);
  const outcomes = await Promise.allSettled(idsOf(1, 2, 3).map((next) => writer.write(next)));
  expect(outcomes).toEqual(Array(3).fill({ status: 'rejected', reason: away }));
  expect(batches).toEqual([[1, 2, 3]]);
  answering = true;
  expect(await writer.write(plant(1))).toEqual(stored);
});

describe('behind a batch that the database does not answer to', () => {
  const away = new ServiceError('database_unavailable', 'away');
  const refused = { status: 'rejected', reason: away };

  /** Begins to store the plant 1, of which the store will say that the database does not answer. */
  async function beginOutage(limits: PlantBatcherLimits) {
    const answers: (() => void)[] = [];
    const { store, batches } = createStore(([first]) => (first?.id === 1n ? away : undefined));
    const insert: PlantStore['insert'] = async (plants) => {
      await new Promise<void>((resolve) => answers.push(resolve));
      return store.insert(plants);
    };
    const answer = async () => {
      while (answers.length === 0) await new Promise(setImmediate);
      answers.shift()?.();
    };
    const writer = createPlantBatcher({ insert }, limits);
    const first = writer.write(plant(1));
    while (answers.length === 0) await new Promise(setImmediate);
    return { writer, first, answer, batches };
  }

  it('fails what waits, and nothing that comes later', async () => {
    const { writer, first, answer, batches } = await beginOutage({ ...roomy, waitingPlants: 2 });
    const waiting = idsOf(2, 3).map((next) => writer.write(next));
    await answer();
    expect(await Promise.allSettled([first, ...waiting])).toEqual(Array(3).fill(refused));
    const later = idsOf(4, 5).map((next) => writer.write(next));
    await answer();
    expect(await Promise.all(later)).toEqual([stored, stored]);
    expect(batches).toEqual([[1], [4, 5]]);
  });

  it('fails what another commit is gathering, which stores nothing then', async () => {
    const { writer, first, answer, batches } = await beginOutage({ ...roomy, concurrentInserts: 2 });
    const gathered = writer.write(plant(2));
    await answer();
    expect(await Promise.allSettled([first, gathered])).toEqual(Array(2).fill(refused));
    await writer.idle();
    expect(batches).toEqual([[1]]);
  });
});

it('never acknowledges what the store gave no outcome for', async () => {
  const writer = createPlantBatcher({ insert: async () => [stored] }, roomy);
  const outcomes = await Promise.allSettled(idsOf(1, 2).map((next) => writer.write(next)));
  expect(outcomes).toMatchObject([
    { status: 'fulfilled' },
    { reason: { message: expect.stringContaining('no outcome') } },
  ]);
});

it('has as many commits under way as it may, and gathers for the next meanwhile', async () => {
  const { store, batches, release } = createHeldStore();
  const writer = createPlantBatcher(store, { ...roomy, concurrentInserts: 2 });
  const writes: Promise<InsertOutcome>[] = [];
  for (const count of [1, 2, 3]) {
    writes.push(...idsOf(1, 2, 3).map((next) => writer.write(next)));
    while (batches.length < Math.min(count, 2)) await new Promise(setImmediate);
  }
  writes.push(writer.write(plant(4)));
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
  await writer.idle();
});

it('sends at once what has no room in the batch before it', async () => {
  const { store, batches, release } = createHeldStore();
  const writer = createPlantBatcher(store, { ...roomy, batchPlants: 2, concurrentInserts: 2 });
  const writes = idsOf(1, 2, 3, 4, 5).map((next) => writer.write(next));
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

it('is idle once nothing waits', async () => {
  const { store, batches, release } = createHeldStore();
  const writer = createPlantBatcher(store, { ...roomy, batchPlants: 1 });
  await writer.idle();
  const writes = idsOf(1, 2).map((next) => writer.write(next));
  let idle = false;
  const idling = writer.idle().then(() => {
    idle = true;
  });
  await release();
  await writes[0];
  expect(idle).toBe(false);
  await release();
  await idling;
  expect(batches).toEqual([[1], [2]]);
});
