import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { plant } from '../../../../test/support/plants/create-test-store.js';
import { ServiceError } from '../../../errors/service-error.js';
import { failingAfterMs } from '../../../observe/commit-health.js';
import type { PlantOutcome } from '../../../plants/plant-store.js';
import { createShardMonitor } from './shard-health.js';
import type { ShardRouting } from './shard-queues.js';

const oneShard: ShardRouting = { shardOf: () => 0, insertsPerShard: 1, inserts: 1 };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Monitored commits that the test resolves or rejects. */
function createHeldCommits(routing = oneShard) {
  const held: { succeed(): void; fail(): void; reject(): void }[] = [];
  const store = {
    insert: () =>
      new Promise<readonly PlantOutcome[]>((resolve, reject) => {
        held.push({
          succeed: () => resolve([]),
          fail: () => reject(new ServiceError('database_unavailable', 'no disk')),
          reject: () => reject(new Error('this plant violates a constraint')),
        });
      }),
  };
  const commits = createShardMonitor(store, routing);
  const begin = (id = 1) => commits.insert([plant(id)]).catch(() => undefined);
  const areFailing = () => commits.findFailing().length > 0;
  return { commits, held, begin, areFailing };
}

it('are not failing before the first one', () => {
  const { areFailing } = createHeldCommits();
  vi.advanceTimersByTime(10 * failingAfterMs);
  expect(areFailing()).toBe(false);
});

it('are failing once none has succeeded for a while, whether they fail or hang', async () => {
  const { held, begin, areFailing } = createHeldCommits();
  const failing = begin();
  held[0]?.fail();
  await failing;
  void begin();
  vi.advanceTimersByTime(failingAfterMs - 1);
  expect(areFailing()).toBe(false);
  vi.advanceTimersByTime(1);
  expect(areFailing()).toBe(true);
});

it('are not failing because a plant was rejected', async () => {
  const { held, begin, areFailing } = createHeldCommits();
  const rejected = begin();
  held[0]?.reject();
  await rejected;
  vi.advanceTimersByTime(10 * failingAfterMs);
  expect(areFailing()).toBe(false);
});

it('are still failing when a plant was rejected meanwhile', async () => {
  const { held, begin, areFailing } = createHeldCommits();
  const both = [begin(), begin()];
  held[0]?.fail();
  vi.advanceTimersByTime(failingAfterMs);
  held[1]?.reject();
  await Promise.all(both);
  expect(areFailing()).toBe(true);
});

it('stop failing with the first one that succeeds', async () => {
  const { held, begin, areFailing } = createHeldCommits();
  const first = begin();
  vi.advanceTimersByTime(failingAfterMs);
  expect(areFailing()).toBe(true);
  held[0]?.succeed();
  await first;
  expect(areFailing()).toBe(false);
});

it('stop failing once one has succeeded elsewhere, until those in flight have hung as long again', () => {
  const { commits, begin, areFailing } = createHeldCommits();
  void begin();
  vi.advanceTimersByTime(failingAfterMs);
  commits.succeeded(0);
  expect(areFailing()).toBe(false);
  vi.advanceTimersByTime(failingAfterMs);
  expect(areFailing()).toBe(true);
});

/** Four shards, two of each node; a negative id has none any more. */
const quarters: ShardRouting = {
  shardOf: (id) => Number(id % 4n),
  insertsPerShard: 1,
  inserts: 4,
  nodes: { nodeOf: (shard) => shard % 2, insertsPerNode: 2, delayAfterFailureMs: 0 },
  shareOf: (shard) => (shard < 0 ? 0 : 0.25),
};

it('of each shard are failing by themselves, and with the latest id that was sent there', async () => {
  const { commits, held, begin } = createHeldCommits(quarters);
  const ended = [begin(1), begin(2), begin(5), begin(-3)];
  held[0]?.fail();
  held[1]?.succeed();
  held[3]?.fail();
  await Promise.all([ended[0], ended[1], ended[3]]);
  vi.advanceTimersByTime(failingAfterMs);
  expect(commits.findFailing()).toEqual([
    { shard: 1, node: 1, id: 5n, share: 0.25, error: expect.any(ServiceError) },
    { shard: -3, node: -1, id: -3n, share: 0, error: expect.any(ServiceError) },
  ]);
  commits.succeeded(1);
  expect(commits.findFailing()).toMatchObject([{ shard: -3 }]);
});
