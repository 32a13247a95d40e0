import { describe, expect, it } from 'vitest';
import { createHeldBatcher as createWith, passTurns } from '../../test/support/plants/create-held-batcher.js';
import { plant, stored } from '../../test/support/plants/create-test-store.js';
import { plantsOf } from '../../test/support/plants/plants-of.js';
import { ServiceError } from '../errors/service-error.js';
import type { PlantBatcherLimits } from './plant-batcher.js';
import type { Routing } from './routing.js';

/** Two destinations: one of the even ids, one of the odd ones. */
const routing: Routing = { destinationOf: (id) => Number(id % 2n), insertsPerDestination: 1, inserts: 2 };
const createHeldBatcher = (limits?: Partial<PlantBatcherLimits>) => createWith({ routing, ...limits });

it('stores the plants of each destination in a batch of their own', async () => {
  const { batcher, batches, end } = createHeldBatcher();
  const writes = plantsOf(1, 2, 3, 4, 5).map((next) => batcher.write(next));
  await end(1);
  await end(2);
  expect(await Promise.all(writes)).toEqual(Array(5).fill(stored));
  expect(batches).toEqual([
    [1, 3, 5],
    [2, 4],
  ]);
});

it('stores plants of other destinations while the insert of one is in flight', async () => {
  const { batcher, batches, end } = createHeldBatcher();
  const slow = [batcher.write(plant(1))];
  await passTurns();
  slow.push(batcher.write(plant(3)));
  for (const id of [2, 4]) {
    const write = batcher.write(plant(id));
    await end(id);
    expect(await write).toEqual(stored);
  }
  expect(batches).toEqual([[1], [2], [4]]);
  await end(1);
  await end(3);
  await Promise.all(slow);
  await batcher.idle();
});

it('takes turns where all destinations have more than may be in flight', async () => {
  const thirds: Routing = { destinationOf: (id) => Number(id % 3n), insertsPerDestination: 2, inserts: 3 };
  const { batcher, batches, end } = createHeldBatcher({ routing: thirds, batchPlants: 1 });
  const writes = plantsOf(3, 6, 9, 1, 4, 7, 2, 5, 8).map((next) => batcher.write(next));
  await passTurns();
  expect(batches).toHaveLength(3);
  const ended = new Set<number>();
  while (ended.size < writes.length) {
    const next = batches.flat().find((id) => !ended.has(id)) ?? 0;
    await end(next);
    ended.add(next);
    await passTurns();
  }
  await Promise.all(writes);
  // After the first three, each destination in turn: 1, 2, 0, and so on.
  expect(batches.flat()).toEqual([3, 6, 1, 4, 2, 9, 5, 7, 8]);
});

it.each([
  { limit: 'plants', limits: { queuePlants: 10 } },
  { limit: 'bytes', limits: { queueBytes: 100 } },
])('leaves room within the limit of $limit for others where one destination is slow', async ({ limits }) => {
  const { batcher, end } = createHeldBatcher(limits);
  const write = (id: number) => batcher.write(plant(id, 'ten bytes.'));
  const writes = [write(1)];
  await passTurns();
  for (let count = 0; count < 5; count++) writes.push(write(2 * count + 3));
  await expect(write(13)).rejects.toMatchObject({ errorName: 'overloaded' });
  const other = write(2);
  await end(2);
  expect(await other).toEqual(stored);
  await end(1);
  await end(3);
  expect(await Promise.all(writes)).toEqual(Array(6).fill(stored));
});

it('rejects what waits for a destination that does not answer, and nothing else', async () => {
  const away = new ServiceError('database_unavailable', 'away');
  const { batcher, batches, end } = createHeldBatcher();
  const lost = [batcher.write(plant(1))];
  const kept = [batcher.write(plant(2))];
  await passTurns();
  lost.push(batcher.write(plant(3)));
  kept.push(batcher.write(plant(4)));
  await end(1, away);
  expect(await Promise.allSettled(lost)).toEqual(Array(2).fill({ status: 'rejected', reason: away }));
  await end(2);
  await end(4);
  expect(await Promise.all(kept)).toEqual([stored, stored]);
  expect(batches).toEqual([[1], [2], [4]]);
  const later = batcher.write(plant(5));
  await end(5);
  expect(await later).toEqual(stored);
});

describe('destinations that fail together', () => {
  /** Those of the ids that end in 1 and 2, and in 3 and 4. */
  const grouped: Routing = {
    destinationOf: (id) => Number(id % 10n),
    insertsPerDestination: 2,
    inserts: 4,
    groups: {
      groupOf: (destination) => Math.ceil(destination / 2),
      insertsPerGroup: 2,
      delayAfterFailureMs: 0,
    },
  };

  it('leave inserts to the others while theirs hang', async () => {
    const { batcher, batches, end } = createHeldBatcher({ routing: grouped, batchPlants: 1 });
    const slow = plantsOf(1, 2, 11, 12, 21).map((next) => batcher.write(next));
    await passTurns();
    const writes = plantsOf(3, 4, 13).map((next) => batcher.write(next));
    await passTurns();
    expect(batches).toEqual([[1], [2], [3], [4]]);
    for (const id of [3, 4, 13]) await end(id);
    expect(await Promise.all(writes)).toEqual(Array(3).fill(stored));
    expect(batches.flat()).toEqual([1, 2, 3, 4, 13]);
    for (const id of [1, 2, 11, 12, 21]) await end(id);
    expect(await Promise.all(slow)).toEqual(Array(5).fill(stored));
    await batcher.idle();
  });

  it('take turns', async () => {
    const { batcher, batches, end } = createHeldBatcher({
      routing: { ...grouped, groups: { groupOf: () => 0, insertsPerGroup: 1, delayAfterFailureMs: 0 } },
      batchPlants: 1,
    });
    const ids = [1, 11, 2, 12, 3, 13];
    const writes = plantsOf(...ids).map((next) => batcher.write(next));
    for (let count = 0; count < ids.length; count++) {
      await passTurns();
      await end(batches.flat().at(-1) ?? 0);
    }
    expect(await Promise.all(writes)).toEqual(Array(6).fill(stored));
    // The second of the first one was sent before the others waited.
    expect(batches.flat()).toEqual([1, 11, 2, 3, 12, 13]);
  });

  it('are those of the moment, since a destination can be moved, while it is busy or idle', async () => {
    let group = 1;
    const groupOf = (destination: number) => (destination === 2 ? group : 0);
    const groups = { groupOf, insertsPerGroup: 1, delayAfterFailureMs: 0 };
    const { batcher, batches, end } = createHeldBatcher({
      routing: { ...grouped, insertsPerDestination: 1, groups },
    });
    const busy = [batcher.write(plant(2))];
    await passTurns();
    busy.push(...plantsOf(12, 1).map((next) => batcher.write(next)));
    group = 0;
    await passTurns();
    await end(2);
    await passTurns();
    expect(batches).toEqual([[2], [1]]);
    await Promise.all([end(1), end(12)]);
    expect(await Promise.all(busy)).toEqual([stored, stored, stored]);
    group = 1;
    const idle = plantsOf(11, 22).map((next) => batcher.write(next));
    await passTurns();
    expect(batches.slice(3)).toEqual([[11], [22]]);
    await Promise.all([end(11), end(22)]);
    expect(await Promise.all(idle)).toEqual([stored, stored]);
  });

  it('that do not answer reject their own plants only', async () => {
    const away = new ServiceError('database_unavailable', 'away');
    const { batcher, batches, end } = createHeldBatcher({ routing: grouped, batchPlants: 1 });
    const [lost, ...kept] = plantsOf(1, 2, 11, 12).map((next) => batcher.write(next));
    await passTurns();
    const rejected = expect(lost).rejects.toBe(away);
    await end(1, away);
    await rejected;
    await expect(kept[1]).rejects.toBe(away);
    for (const id of [2, 12]) await end(id);
    expect([await kept[0], await kept[2]]).toEqual([stored, stored]);
    expect(batches.flat()).toEqual([1, 2, 12]);
  });
});
