import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createHeldBatcher as createWith,
  passTurns,
} from '../../../../test/support/plants/create-held-batcher.js';
import {
  createTestStore,
  highBatcherLimits,
  oneCaller,
  plant,
  stored,
} from '../../../../test/support/plants/create-test-store.js';
import { plantsOf } from '../../../../test/support/plants/plants-of.js';
import { ServiceError } from '../../../errors/service-error.js';
import { type BatchLimits, createBatcher } from '../../batcher.js';
import { createShardQueues, type ShardRouting } from './shard-queues.js';

/** Two shards: one of the even ids, one of the odd ones. */
const routing: ShardRouting = { shardOf: (id) => Number(id % 2n), insertsPerShard: 1, inserts: 2 };
const createHeldBatcher = (limits?: Partial<BatchLimits>) => createWith({ routing, ...limits });

it('stores the plants of each shard in a batch of their own', async () => {
  const { batcher, batches, end } = createHeldBatcher();
  const writes = plantsOf(1, 2, 3, 4, 5).map((next) => batcher.write(next, 1));
  await end(1);
  await end(2);
  expect(await Promise.all(writes)).toEqual(Array(5).fill(stored));
  expect(batches).toEqual([
    [1, 3, 5],
    [2, 4],
  ]);
});

it('stores plants of other shards while the insert of one is in flight', async () => {
  const { batcher, batches, end } = createHeldBatcher();
  const slow = [batcher.write(plant(1), 1)];
  await passTurns();
  slow.push(batcher.write(plant(3), 1));
  for (const id of [2, 4]) {
    const write = batcher.write(plant(id), 1);
    await end(id);
    expect(await write).toEqual(stored);
  }
  expect(batches).toEqual([[1], [2], [4]]);
  await end(1);
  await end(3);
  await Promise.all(slow);
  await batcher.idle();
});

it('takes turns where all shards have more than may be in flight', async () => {
  const thirds: ShardRouting = { shardOf: (id) => Number(id % 3n), insertsPerShard: 2, inserts: 3 };
  const { batcher, batches, end } = createWith({ routing: thirds, batchPlants: 1 });
  const writes = plantsOf(3, 6, 9, 1, 4, 7, 2, 5, 8).map((next) => batcher.write(next, 1));
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
  // After the first three, each shard in turn: 1, 2, 0, and so on.
  expect(batches.flat()).toEqual([3, 6, 1, 4, 2, 9, 5, 7, 8]);
});

it.each([
  { limit: 'plants', limits: { queuePlants: 10 } },
  { limit: 'bytes', limits: { queueBytes: 100 } },
])('leaves room within the limit of $limit for others where one shard is slow', async ({ limits }) => {
  const { batcher, end } = createHeldBatcher(limits);
  // Each by another caller, of which none has more than is left free.
  const write = (id: number) => batcher.write(plant(id, 'ten bytes.'), id);
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

it('rejects what waits for a shard that does not answer, and nothing else', async () => {
  const away = new ServiceError('database_unavailable', 'away');
  const { batcher, batches, end } = createHeldBatcher();
  const lost = [batcher.write(plant(1), 1)];
  const kept = [batcher.write(plant(2), 1)];
  await passTurns();
  lost.push(batcher.write(plant(3), 1));
  kept.push(batcher.write(plant(4), 1));
  await end(1, away);
  expect(await Promise.allSettled(lost)).toEqual(Array(2).fill({ status: 'rejected', reason: away }));
  await end(2);
  await end(4);
  expect(await Promise.all(kept)).toEqual([stored, stored]);
  expect(batches).toEqual([[1], [2], [4]]);
  const later = batcher.write(plant(5), 1);
  await end(5);
  expect(await later).toEqual(stored);
});

describe('shards that fail together', () => {
  /** Those of the ids that end in 1 and 2, and in 3 and 4. */
  const nodeed: ShardRouting = {
    shardOf: (id) => Number(id % 10n),
    insertsPerShard: 2,
    inserts: 4,
    nodes: {
      nodeOf: (shard) => Math.ceil(shard / 2),
      insertsPerNode: 2,
      delayAfterFailureMs: 0,
    },
  };

  it('leave inserts to the others while theirs hang', async () => {
    const { batcher, batches, end } = createWith({ routing: nodeed, batchPlants: 1 });
    const slow = plantsOf(1, 2, 11, 12, 21).map((next) => batcher.write(next, 1));
    await passTurns();
    const writes = plantsOf(3, 4, 13).map((next) => batcher.write(next, 1));
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
    const { batcher, batches, end } = createWith({
      routing: { ...nodeed, nodes: { nodeOf: () => 0, insertsPerNode: 1, delayAfterFailureMs: 0 } },
      batchPlants: 1,
    });
    const ids = [1, 11, 2, 12, 3, 13];
    const writes = plantsOf(...ids).map((next) => batcher.write(next, 1));
    for (let count = 0; count < ids.length; count++) {
      await passTurns();
      await end(batches.flat().at(-1) ?? 0);
    }
    expect(await Promise.all(writes)).toEqual(Array(6).fill(stored));
    // The second of the first one was sent before the others waited.
    expect(batches.flat()).toEqual([1, 11, 2, 3, 12, 13]);
  });

  it('are those of the moment, since a shard can be moved, while it is busy or idle', async () => {
    let node = 1;
    const nodeOf = (shard: number) => (shard === 2 ? node : 0);
    const nodes = { nodeOf, insertsPerNode: 1, delayAfterFailureMs: 0 };
    const { batcher, batches, end } = createWith({
      routing: { ...nodeed, insertsPerShard: 1, nodes },
    });
    const busy = [batcher.write(plant(2), 1)];
    await passTurns();
    busy.push(...plantsOf(12, 1).map((next) => batcher.write(next, 1)));
    node = 0;
    await passTurns();
    await end(2);
    await passTurns();
    expect(batches).toEqual([[2], [1]]);
    await Promise.all([end(1), end(12)]);
    expect(await Promise.all(busy)).toEqual([stored, stored, stored]);
    node = 1;
    const idle = plantsOf(11, 22).map((next) => batcher.write(next, 1));
    await passTurns();
    expect(batches.slice(3)).toEqual([[11], [22]]);
    await Promise.all([end(11), end(22)]);
    expect(await Promise.all(idle)).toEqual([stored, stored]);
  });

  it('that do not answer reject their own plants only', async () => {
    const away = new ServiceError('database_unavailable', 'away');
    const { batcher, batches, end } = createWith({ routing: nodeed, batchPlants: 1 });
    const [lost, ...kept] = plantsOf(1, 2, 11, 12).map((next) => batcher.write(next, 1));
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

describe('after a failure of the database', () => {
  const delayAfterFailureMs = 60_000;
  /** The even ids and the odd ones fail together; each of both nodes has two shards. */
  const routing: ShardRouting = {
    shardOf: (id) => Number(id % 4n),
    insertsPerShard: 1,
    inserts: 4,
    nodes: { nodeOf: (shard) => shard % 2, insertsPerNode: 2, delayAfterFailureMs },
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
    const batcher = createBatcher(store.insert, highBatcherLimits, (onReady) =>
      createShardQueues(highBatcherLimits, routing, oneCaller, onReady),
    );
    await expect(batcher.write(plant(1), 1)).rejects.toBe(away);
    return { batcher, batches, state, away };
  }

  it('all that arrive within a delay for shards that fail together share an attempt', async () => {
    const { batcher, batches, state, away } = await failOddIds();
    for (const isAway of [true, false]) {
      state.isAway = isAway;
      const waiting = Promise.allSettled(plantsOf(5, 9, 3, 7, 13).map((next) => batcher.write(next, 1)));
      await vi.advanceTimersByTimeAsync(delayAfterFailureMs - 1);
      // The others do not wait.
      expect(await batcher.write(plant(2), 1)).toEqual(stored);
      expect(batches.splice(0)).toEqual(isAway ? [[1], [2]] : [[2]]);
      await vi.advanceTimersByTimeAsync(1);
      const outcome = isAway ? { status: 'rejected', reason: away } : { status: 'fulfilled', value: stored };
      expect(await waiting).toEqual(Array(5).fill(outcome));
      expect(batches.splice(0)).toEqual([
        [5, 9, 13],
        [3, 7],
      ]);
    }
    expect(await batcher.write(plant(17), 1)).toEqual(stored);
  });

  it('is idle only once what waits for the delay is stored', async () => {
    const { batcher, state } = await failOddIds();
    state.isAway = false;
    const write = batcher.write(plant(5), 1);
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
