import type { Plant } from '@plant-store/contract';
import { expect, it } from 'vitest';
import { createTestQueue, highQueueLimits } from '../../test/support/plants/create-test-queue.js';
import { plantsOf } from '../../test/support/plants/plants-of.js';
import { ServiceError } from '../errors/service-error.js';
import type { CommitQueueOptions } from './commit-queue.js';
import { stored } from './store.js';

interface TestOptions extends Partial<CommitQueueOptions<Plant>> {
  /** Why a commit of these ids fails, if it does. */
  readonly findError?: (ids: readonly number[]) => Error | undefined;
  /** Whether commits stay in flight until `release` is called, once for each, in their order. */
  readonly isHeld?: boolean;
}

/** A queue whose commits are recorded: their ids, those of removals after the word. */
function openQueue({ findError, isHeld, ...options }: TestOptions = {}) {
  const commits: (number | 'remove')[][] = [];
  const held: (() => void)[] = [];
  async function commit(ids: readonly bigint[], ...kind: 'remove'[]) {
    const numbers = ids.map(Number);
    commits.push([...kind, ...numbers]);
    if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
    const error = findError?.(numbers);
    if (error !== undefined) throw error;
  }
  const queue = createTestQueue(
    {
      async create(plants) {
        await commit(plants.map(({ id }) => id));
        return plants.map(() => stored);
      },
      async remove(ids) {
        await commit(ids, 'remove');
        return ids.map(() => 'removed');
      },
    },
    options,
  );
  const release = async (count = 1) => {
    for (; count > 0; count--) {
      while (held.length === 0) await new Promise(setImmediate);
      held.shift()?.();
    }
  };
  const untilCommits = async (count: number) => {
    while (commits.length < count) await new Promise(setImmediate);
  };
  return {
    ...{ queue, commits, release, untilCommits },
    create: (...ids: number[]) => plantsOf(...ids).map((plant) => queue.create(plant, 1)),
    createOf: (bytes: number, ...ids: number[]) =>
      ids.map((id) => queue.create({ id: BigInt(id), name: 'x'.repeat(bytes) }, 1)),
    remove: (...ids: number[]) => ids.map((id) => queue.remove(BigInt(id), 1)),
  };
}

const away = new ServiceError('database_unavailable', 'away');
const rejected = { status: 'rejected', reason: away };
const fulfilled = { status: 'fulfilled', value: stored };

it('stores a single plant in the turn of the event loop in which it arrives', async () => {
  const { create, commits } = openQueue();
  const [outcome] = create(1);
  await new Promise(setImmediate);
  expect(commits).toEqual([[1]]);
  expect(await outcome).toEqual(stored);
});

it('stores what is created and what is removed in one turn in one commit of each kind, creates first', async () => {
  const { create, remove, commits } = openQueue();
  const writes = [...remove(1), ...create(2), ...remove(3), ...create(4)];
  expect(await Promise.all(writes)).toEqual(['removed', stored, 'removed', stored]);
  await Promise.all(remove(5, 6));
  expect(commits).toEqual([
    [2, 4],
    ['remove', 1, 3],
    ['remove', 5, 6],
  ]);
});

it.each([
  { batchPlants: 100, expected: [[1, 2, 3, 4]] },
  { batchPlants: 3, expected: [[1, 2, 3], [4]] },
])(
  'batches plants as long as each turn brings more, up to $batchPlants plants',
  async ({ batchPlants, expected }) => {
    const { create, commits } = openQueue({ limits: { ...highQueueLimits, batchPlants } });
    const writes = create(1, 2);
    for (const id of [3, 4]) {
      await new Promise(setImmediate);
      writes.push(...create(id));
    }
    await Promise.all(writes);
    expect(commits).toEqual(expected);
  },
);

it('has as many commits in flight as it may, and stores what arrives meanwhile in one, in order', async () => {
  const { queue, create, commits, release, untilCommits } = openQueue({ isHeld: true, concurrency: 2 });
  const writes = create(1, 2, 3);
  await untilCommits(1);
  writes.push(...create(4, 5));
  await untilCommits(2);
  writes.push(...create(6, 7));
  await new Promise(setImmediate);
  writes.push(...create(8));
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  const inFlight = [
    [1, 2, 3],
    [4, 5],
  ];
  expect(commits).toEqual(inFlight);
  await release();
  expect(await Promise.all(writes.slice(0, 3))).toEqual([stored, stored, stored]);
  await release(2);
  expect(await Promise.all(writes)).toHaveLength(8);
  expect(commits).toEqual([...inFlight, [6, 7, 8]]);
  await queue.idle();
});

it('stores plants that did not fit into the previous batch without waiting for it', async () => {
  const { create, commits, release, untilCommits } = openQueue({
    ...{ isHeld: true, concurrency: 2, limits: { ...highQueueLimits, batchPlants: 2 } },
  });
  const writes = create(1, 2, 3, 4, 5);
  await untilCommits(2);
  expect(commits).toEqual([
    [1, 2],
    [3, 4],
  ]);
  await release(3);
  await Promise.all(writes);
  expect(commits[2]).toEqual([5]);
});

it('is idle once nothing is queued and no commit is in flight', async () => {
  const limits = { ...highQueueLimits, batchPlants: 1 };
  const { queue, create, commits, release } = openQueue({ isHeld: true, limits });
  await queue.idle();
  const [first] = create(1, 2);
  let idle = false;
  const idling = queue.idle().then(() => {
    idle = true;
  });
  await release();
  await first;
  expect(idle).toBe(false);
  await release();
  await idling;
  expect(commits).toEqual([[1], [2]]);
});

it.each([
  { limit: 'plants', limits: { ...highQueueLimits, batchPlants: 2 }, expected: [[1, 2], [3, 4], [5]] },
  { limit: 'bytes', limits: { ...highQueueLimits, batchBytes: 250 }, expected: [[1, 2], [3], [4, 5]] },
])(
  'keeps a batch within its limit of $limit, and stores a larger plant alone',
  async ({ limits, expected }) => {
    const { createOf, commits } = openQueue({ limits });
    await Promise.all([100, 100, 300, 100, 50].flatMap((bytes, at) => createOf(bytes, at + 1)));
    expect(commits).toEqual(expected);
  },
);

it('counts the bytes of texts in UTF-8', async () => {
  const { queue, commits } = openQueue({ limits: { ...highQueueLimits, batchBytes: 9 } });
  const plants = [
    { id: 1n, name: '🌱', tag: 'é' },
    { id: 2n, name: 'abc' },
    { id: 3n, name: 'a' },
  ];
  await Promise.all(plants.map((plant) => queue.create(plant, 1)));
  expect(commits).toEqual([[1, 2], [3]]);
});

it.each([
  { limit: 'plants', limits: { ...highQueueLimits, queuePlants: 4 } },
  { limit: 'bytes', limits: { ...highQueueLimits, queueBytes: 40 } },
])(
  'rejects plants of a caller beyond its half of the queue limit of $limit, and accepts more once there is room',
  async ({ limits }) => {
    const { createOf, commits, release, untilCommits } = openQueue({ isHeld: true, limits });
    const writes = createOf(10, 1);
    await untilCommits(1);
    writes.push(...createOf(10, 2, 3));
    await expect(createOf(10, 4)[0]).rejects.toMatchObject({
      errorName: 'overloaded',
      headers: { 'Retry-After': '1' },
    });
    await release(2);
    await Promise.all(writes);
    const later = createOf(10, 5);
    await release();
    expect(await Promise.all(later)).toEqual([stored]);
    expect(commits).toEqual([[1], [2, 3], [5]]);
  },
);

it('is full for a caller that has as many creates and removals queued as it may, and rejects more of either', async () => {
  const limits = { ...highQueueLimits, queuePlants: 4 };
  const { queue, create, remove, release, untilCommits } = openQueue({ isHeld: true, limits });
  const writes: Promise<unknown>[] = create(1);
  await untilCommits(1);
  writes.push(...remove(2));
  expect(queue.isFull(1)).toBe(false);
  writes.push(...create(3));
  expect([queue.isFull(1), queue.isFull(2)]).toEqual([true, false]);
  for (const [more] of [remove(4), create(4)])
    await expect(more).rejects.toMatchObject({ errorName: 'overloaded' });
  expect(queue.queued()).toEqual({ records: 2, bytes: 'plant 3'.length });
  writes.push(queue.remove(4n, 2));
  await release(3);
  await Promise.all(writes);
  expect(queue.isFull(1)).toBe(false);
  expect(queue.queued()).toEqual({ records: 0, bytes: 0 });
});

it.each([
  { limit: 'plants', limits: { ...highQueueLimits, queuePlants: 4 } },
  { limit: 'bytes', limits: { ...highQueueLimits, queueBytes: 40 } },
])(
  'stores what is queued when its limit of $limit is reached, rather than rejecting more',
  async ({ limits }) => {
    const { createOf, commits } = openQueue({ limits, concurrency: 3 });
    expect(await Promise.all(createOf(10, 1, 2, 3, 4, 5))).toEqual(Array(5).fill(stored));
    expect(commits).toEqual([[1, 2], [3, 4], [5]]);
  },
);

it('accepts a plant of any size while the queue is empty', async () => {
  const { createOf } = openQueue({ limits: { ...highQueueLimits, queueBytes: 10 } });
  expect(await Promise.all(createOf(1_000, 1))).toEqual([stored]);
});

it('gives each of several callers an equal part of a batch, and takes their plants in turn', async () => {
  const limits = { ...highQueueLimits, batchPlants: 6 };
  const { queue, create, commits } = openQueue({ limits, callers: { count: () => 3 } });
  const few = ['few', 'other'] as const;
  await Promise.all([
    ...create(1, 2, 3, 4),
    ...few.map((caller, at) => queue.create({ id: BigInt(11 + at), name: 'x' }, caller)),
  ]);
  expect(commits).toEqual([
    [1, 11, 12, 2],
    [3, 4],
  ]);
});

it('rejects only what the store cannot create or remove, and stores the rest of its batch in order', async () => {
  const { create, remove, commits } = openQueue({
    findError: (ids) => (ids.some((id) => id % 10 === 3) ? new Error('row 3') : undefined),
  });
  const outcomes = await Promise.allSettled([...create(1, 2, 3, 4, 5), ...remove(11, 12, 13)]);
  const reasons = outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.message : ''));
  expect(reasons).toEqual(['', '', 'row 3', '', '', '', '', 'row 3']);
  expect(commits).toEqual([
    ...[[1, 2, 3, 4, 5], [1, 2, 3], [1, 2], [3], [4, 5]],
    ...[
      ['remove', 11, 12, 13],
      ['remove', 11, 12],
      ['remove', 13],
    ],
  ]);
});

it('rejects the entire batch when the database does not answer, without another attempt', async () => {
  let isAnswering = false;
  const { create, remove, commits } = openQueue({ findError: () => (isAnswering ? undefined : away) });
  const outcomes = await Promise.allSettled([...create(1, 2), ...remove(3)]);
  expect(outcomes).toEqual(Array(3).fill(rejected));
  expect(commits).toEqual([[1, 2]]);
  isAnswering = true;
  expect(await Promise.all(create(1))).toEqual([stored]);
});

it('rejects the rest of a batch that is split, once the database does not answer for a part of it', async () => {
  const { create, commits } = openQueue({
    findError: ({ length }) => (length === 4 ? new Error('one of them') : away),
  });
  expect(await Promise.allSettled(create(1, 2, 3, 4))).toEqual(Array(4).fill(rejected));
  expect(commits).toEqual([
    [1, 2, 3, 4],
    [1, 2],
  ]);
});

it.each([
  { concurrency: 1, what: 'is queued' },
  { concurrency: 2, what: 'is about to be stored' },
])(
  'rejects what $what after a batch that the database did not answer, and nothing that arrives later',
  async ({ concurrency }) => {
    const { queue, create, remove, commits, release, untilCommits } = openQueue({
      ...{ isHeld: true, concurrency, findError: ([first]) => (first === 1 ? away : undefined) },
    });
    const first = create(1);
    await untilCommits(1);
    const queued = [...create(2), ...remove(3)];
    await release();
    expect(await Promise.allSettled([...first, ...queued])).toEqual(Array(3).fill(rejected));
    await queue.idle();
    const later = create(4, 5);
    await release();
    expect(await Promise.all(later)).toEqual([stored, stored]);
    expect(commits).toEqual([[1], [4, 5]]);
  },
);

it('rejects those records alone that the store refuses, or returns no outcome for', async () => {
  const sizes: number[] = [];
  const errors: unknown[] = [];
  const begun = { begunAt: 0, since: 0 };
  const queue = createTestQueue(
    {
      create: async (plants) => plants.slice(0, 3).map(({ id }) => (id === 2n ? away : stored)),
      remove: async (ids) => ids.map(() => away),
    },
    {
      commits: {
        begin: (size) => {
          sizes.push(size);
          return begun;
        },
        end: (_, error) => void errors.push(error),
        isFailing: () => false,
        check: async () => undefined,
      },
    },
  );
  const outcomes = await Promise.allSettled([
    ...plantsOf(1, 2, 3, 4).map((plant) => queue.create(plant, 1)),
    ...[5n, 6n].map((id) => queue.remove(id, 1)),
  ]);
  const unknown = { status: 'rejected', reason: new Error('The store returned no outcome') };
  expect(outcomes).toEqual([fulfilled, rejected, fulfilled, unknown, rejected, rejected]);
  // A commit counts as failed when it stored nothing.
  expect([sizes, errors]).toEqual([
    [4, 2],
    [undefined, away],
  ]);
});
