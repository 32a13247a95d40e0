import type { Plant } from '@plant-store/contract';
import { removalOf, ServiceError } from '@plant-store/records';
import { expect, it, vi } from 'vitest';
import { createTestQueue, highQueueLimits } from '../../test/support/plants/create-test-queue.js';
import { plantsOf } from '../../test/support/plants/plants-of.js';

import type { CommitQueueOptions, QueueLimits } from './commit-queue.js';

const stored = { stored: true, addedAt: 1 } as const;

interface TestOptions extends Partial<Pick<CommitQueueOptions<Plant>, 'callers' | 'concurrency'>> {
  readonly limits?: Partial<QueueLimits>;
  /** Why a commit of these ids fails, if it does. */
  readonly findError?: (ids: readonly number[]) => Error | undefined;
  /** Whether commits stay in flight until `release` is called, once for each, in their order. */
  readonly isHeld?: boolean;
}

/** A queue whose commits are recorded: their ids, those of changes after the word. */
function openQueue({ findError, isHeld, limits, ...options }: TestOptions = {}) {
  const commits: string[] = [];
  const held: (() => void)[] = [];
  async function commit(ids: readonly bigint[], kind = '') {
    commits.push(`${kind}${ids}`);
    if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
    const error = findError?.(ids.map(Number));
    if (error !== undefined) throw error;
  }
  const queue = createTestQueue(
    {
      async create(plants) {
        await commit(plants.map(({ id }) => id));
        return plants.map(() => stored);
      },
      async change(changes) {
        await commit(
          changes.map(({ id }) => id),
          'change ',
        );
        return changes.map(() => changed);
      },
    },
    { ...options, limits: { ...highQueueLimits, ...limits } },
  );
  const release = async (count = 1) => {
    for (; count > 0; count--) {
      while (held.length === 0) await nextTurn();
      held.shift()?.();
    }
  };
  const untilCommits = async (count: number) => {
    while (commits.length < count) await nextTurn();
  };
  return {
    ...{ queue, commits, release, untilCommits },
    create: (...ids: number[]) => plantsOf(...ids).map((plant) => queue.create(plant, 1)),
    change: (...ids: number[]) => ids.map((id) => queue.change(removalOf(BigInt(id)), 1)),
  };
}

const changed = { before: undefined, after: undefined };
const nextTurn = () => new Promise(setImmediate);
const away = new ServiceError('database_unavailable', 'away');
const rejected = { status: 'rejected', reason: away };
const fulfilled = { status: 'fulfilled', value: stored };

it('stores a single plant in the turn of the event loop in which it arrives', async () => {
  const { create, commits } = openQueue();
  const [outcome] = create(1);
  await nextTurn();
  expect(commits).toEqual(['1']);
  expect(await outcome).toEqual(stored);
});

it('passes on who creates and changes', async () => {
  const passed: unknown[] = [];
  const queue = createTestQueue({
    async create(plants) {
      passed.push(...plants);
      return plants.map(() => stored);
    },
    async change(changes) {
      passed.push(...changes);
      return changes.map(() => changed);
    },
  });
  const [plant] = plantsOf(1);
  if (plant === undefined) throw new Error('there is one');
  await Promise.all([queue.create(plant, 7), queue.change(removalOf(2n), 'subject x')]);
  expect(passed).toMatchObject([
    { ...plant, addedBy: '7' },
    { id: 2n, by: 'subject x' },
  ]);
});

it('stores what is created and what is changed in one turn in one commit of each kind, creates first', async () => {
  const { create, change, commits } = openQueue();
  const writes = [...change(1), ...create(2), ...change(3), ...create(4)];
  expect(await Promise.all(writes)).toEqual([changed, stored, changed, stored]);
  await Promise.all(change(5, 6));
  expect(commits).toEqual(['2,4', 'change 1,3', 'change 5,6']);
});

it.each([
  [100, ['1,2,3,4']],
  [3, ['1,2,3', '4']],
])('batches plants as long as each turn brings more, up to %i plants', async (batchPlants, expected) => {
  const { create, commits } = openQueue({ limits: { batchPlants } });
  const writes = create(1, 2);
  for (const id of [3, 4]) {
    await nextTurn();
    writes.push(...create(id));
  }
  await Promise.all(writes);
  expect(commits).toEqual(expected);
});

/** Plants that have so many bytes of text. */
const ofBytes = (...bytes: number[]): Plant[] => bytes.map((length) => ({ name: 'x'.repeat(length) }));
const five = ofBytes(10, 10, 10, 10, 10);
const inPairs = ['1,2', '3,4', '5'];
const inUtf8 = [{ name: '🌱', tag: 'é' }, { name: 'abc' }, { name: 'a' }];

it.each<[title: string, TestOptions, Plant[], commits: string[]]>([
  ['batches within the limit of plants', { limits: { batchPlants: 2 } }, five, inPairs],
  [
    'batches within the limit of bytes, but a larger plant alone',
    { limits: { batchBytes: 250 } },
    ofBytes(100, 100, 300, 100, 50),
    ['1,2', '3', '4,5'],
  ],
  ['batches within the limit of bytes in UTF-8', { limits: { batchBytes: 9 } }, inUtf8, ['1,2', '3']],
  ['what is queued at its limit of plants', { limits: { queuePlants: 4 }, concurrency: 3 }, five, inPairs],
  ['what is queued at its limit of bytes', { limits: { queueBytes: 40 }, concurrency: 3 }, five, inPairs],
  ['a plant of any size while the queue is empty', { limits: { queueBytes: 10 } }, ofBytes(1_000), ['1']],
])('stores %s, and rejects nothing', async (_, options, plants, expected) => {
  const { queue, commits } = openQueue(options);
  const writes = plants.map((plant, at) => queue.create({ id: BigInt(at + 1), ...plant }, 1));
  expect(await Promise.all(writes)).toEqual(plants.map(() => stored));
  expect(commits).toEqual(expected);
});

it('has as many commits in flight as it may, and stores what arrives meanwhile in one, in order', async () => {
  const { queue, create, commits, release, untilCommits } = openQueue({
    ...{ isHeld: true, concurrency: 2, limits: { batchPlants: 3 } },
  });
  // What did not fit into the first batch does not wait for it.
  const writes = create(1, 2, 3, 4, 5);
  await untilCommits(2);
  writes.push(...create(6, 7));
  await nextTurn();
  writes.push(...create(8));
  for (let turn = 0; turn < 2; turn++) await nextTurn();
  expect(commits).toEqual(['1,2,3', '4,5']);
  await release();
  expect(await Promise.all(writes.slice(0, 3))).toEqual([stored, stored, stored]);
  await release(2);
  await Promise.all(writes);
  expect(commits).toEqual(['1,2,3', '4,5', '6,7,8']);
  await queue.idle();
});

it('is idle once nothing is queued and no commit is in flight', async () => {
  const { queue, create, release } = openQueue({ isHeld: true, limits: { batchPlants: 1 } });
  await queue.idle();
  const [first] = create(1, 2);
  const onIdle = vi.fn();
  const idling = queue.idle().then(onIdle);
  await release();
  await first;
  expect(onIdle).not.toHaveBeenCalled();
  await release();
  await idling;
});

it.each([{ queuePlants: 4 }, { queueBytes: 4 * 'plant 1'.length }])(
  'rejects plants of a caller beyond half of the limit, until there is room: %j',
  async (limits) => {
    const { create, commits, release, untilCommits } = openQueue({ isHeld: true, limits });
    const writes = create(1);
    await untilCommits(1);
    writes.push(...create(2, 3));
    const overloaded = { errorName: 'overloaded', headers: { 'Retry-After': '1' } };
    await expect(create(4)[0]).rejects.toMatchObject(overloaded);
    await release(2);
    await Promise.all(writes);
    const later = create(5);
    await release();
    expect(await Promise.all(later)).toEqual([stored]);
    expect(commits).toEqual(['1', '2,3', '5']);
  },
);

it('is full for a caller that has as many creates and removals queued as it may, and rejects more of either', async () => {
  const { queue, create, change, release, untilCommits } = openQueue({
    ...{ isHeld: true, limits: { queuePlants: 4 } },
  });
  const writes: Promise<unknown>[] = create(1);
  await untilCommits(1);
  writes.push(...change(2));
  expect(queue.isFull(1)).toBe(false);
  writes.push(...create(3));
  expect([queue.isFull(1), queue.isFull(2)]).toEqual([true, false]);
  for (const [more] of [change(4), create(4)])
    await expect(more).rejects.toMatchObject({ errorName: 'overloaded' });
  expect(queue.queued()).toEqual({ records: 2, bytes: 'plant 3'.length });
  writes.push(queue.change(removalOf(4n), 2));
  await release(3);
  await Promise.all(writes);
  expect(queue.isFull(1)).toBe(false);
  expect(queue.queued()).toEqual({ records: 0, bytes: 0 });
});

it('gives each of several callers an equal part of a batch, and takes their plants in turn', async () => {
  const { queue, create, commits } = openQueue({ limits: { batchPlants: 6 }, callers: { count: () => 3 } });
  const createOf = (caller: string, id: bigint) => queue.create({ id, name: 'x' }, caller);
  await Promise.all([...create(1, 2, 3, 4), createOf('few', 11n), createOf('other', 12n)]);
  expect(commits).toEqual(['1,11,12,2', '3,4']);
});

it('rejects only what the store cannot create or change, and stores the rest of its batch in order', async () => {
  const row3 = new Error('row 3');
  const { create, change, commits } = openQueue({
    findError: (ids) => (ids.some((id) => id % 10 === 3) ? row3 : undefined),
  });
  const outcomes = await Promise.allSettled([...create(1, 2, 3, 4, 5), ...change(11, 12, 13)]);
  expect(outcomes.flatMap((outcome, at) => ('reason' in outcome ? [at, outcome.reason] : []))).toEqual([
    ...[2, row3, 7, row3],
  ]);
  expect(commits).toEqual([
    ...['1,2,3,4,5', '1,2,3', '1,2', '3', '4,5'],
    ...['change 11,12,13', 'change 11,12', 'change 13'],
  ]);
});

it('rejects the entire batch when the database does not answer, without another attempt', async () => {
  const { create, change, commits } = openQueue({ findError: () => away });
  expect(await Promise.allSettled([...create(1, 2), ...change(3)])).toEqual(Array(3).fill(rejected));
  expect(commits).toEqual(['1,2']);
});

it('rejects the rest of a batch that is split, once the database does not answer for a part of it', async () => {
  const { create, commits } = openQueue({
    findError: ({ length }) => (length === 4 ? new Error('one of them') : away),
  });
  expect(await Promise.allSettled(create(1, 2, 3, 4))).toEqual(Array(4).fill(rejected));
  expect(commits).toEqual(['1,2,3,4', '1,2']);
});

it.each([
  { concurrency: 1, what: 'is queued' },
  { concurrency: 2, what: 'is about to be stored' },
])(
  'rejects what $what when the database does not answer, and nothing that arrives later',
  async (options) => {
    const { queue, create, change, commits, release, untilCommits } = openQueue({
      ...{ isHeld: true, concurrency: options.concurrency },
      findError: ([first]) => (first === 1 ? away : undefined),
    });
    const first = create(1);
    await untilCommits(1);
    const queued = [...create(2), ...change(3)];
    await release();
    expect(await Promise.allSettled([...first, ...queued])).toEqual(Array(3).fill(rejected));
    await queue.idle();
    const later = create(4, 5);
    await release();
    expect(await Promise.all(later)).toEqual([stored, stored]);
    expect(commits).toEqual(['1', '4,5']);
  },
);

it('rejects those records alone that the store refuses, or returns no outcome for', async () => {
  const begin = vi.fn(() => ({ begunAt: 0, since: 0 }));
  const end = vi.fn();
  const queue = createTestQueue(
    {
      create: async (plants) => plants.slice(0, 3).map(({ id }) => (id === 2n ? away : stored)),
      change: async (changes) => changes.map(() => away),
    },
    { commits: { begin, end, isFailing: () => false, check: async () => undefined } },
  );
  const outcomes = await Promise.allSettled([
    ...plantsOf(1, 2, 3, 4).map((plant) => queue.create(plant, 1)),
    ...[5n, 6n].map((id) => queue.change(removalOf(id), 1)),
  ]);
  const unknown = { status: 'rejected', reason: new Error('The store returned no outcome') };
  expect(outcomes).toEqual([fulfilled, rejected, fulfilled, unknown, rejected, rejected]);
  // A commit counts as failed when it stored nothing.
  expect(begin.mock.calls).toEqual([[4], [2]]);
  expect(end.mock.calls.map(([, error]) => error)).toEqual([undefined, away]);
});
