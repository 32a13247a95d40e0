import type { Plant } from '@plant-store/contract';
import { resources } from '@plant-store/contract/resources';
import { type Change, removalOf, ServiceError, type Stored } from '@plant-store/records';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createTestQueue, databaseOf, highQueueLimits } from '../../test/support/plants/create-test-queue.js';
import { plantsOf } from '../../test/support/plants/plants-of.js';
import type { CommitQueueOptions, QueueLimits } from './commit-queue.js';
import type { Write } from './store.js';
import { tableOf } from './table.js';

const stored = { stored: true, addedAt: 1 } as const;

interface TestOptions extends Partial<Pick<CommitQueueOptions, 'callers'>> {
  /** How many commits may be in flight. Default: 1. */
  readonly concurrency?: number;
  readonly limits?: Partial<QueueLimits>;
  readonly together?: Partial<Pick<CommitQueueOptions['database'], 'writesTogether' | 'changesTogether'>>;
  /** Why a commit of these ids fails, if it does. */
  readonly findError?: (ids: readonly number[]) => Error | undefined;
  /** Whether commits stay in flight until `release` is called, once for each, in their order. */
  readonly isHeld?: boolean;
}

const tables = [
  { resource: 'plant', bytesOf: tableOf(resources.plant).bytesOf },
  { resource: 'garden', bytesOf: () => 20 },
];

/** Opens a queue that records the ids of each commit: `1` for a plant, `garden 1` for a garden, and `-1` for a change. */
function openQueue({ findError, isHeld, limits, concurrency = 1, together, ...options }: TestOptions = {}) {
  const commits: string[] = [];
  const held: (() => void)[] = [];
  const nameOf = ({ resource, record, change }: Write) =>
    `${resource === 'plant' ? '' : 'garden '}${record === undefined ? `-${change.id}` : record.id}`;
  const queue = createTestQueue(
    {
      concurrentCommits: concurrency,
      writesTogether: false,
      ...together,
      async write(writes) {
        commits.push(writes.map(nameOf).join());
        if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
        const error = findError?.(writes.map(({ record, change }) => Number((record ?? change)?.id)));
        if (error !== undefined) throw error;
        return writes.map(({ record }) => (record === undefined ? changed : stored));
      },
    },
    { ...options, tables, limits: { ...highQueueLimits, ...limits } },
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
  const { create, change } = queue.writerOf('plant', 1);
  return {
    queue,
    commits,
    release,
    untilCommits,
    create: (...ids: number[]) => plantsOf(...ids).map(create),
    change: (...ids: number[]) => ids.map((id) => change(removalOf(BigInt(id)))),
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

it('passes the author of creates and changes to the store', async () => {
  const passed: unknown[] = [];
  const store = {
    async create(plants: readonly Stored<Plant>[]) {
      passed.push(...plants);
      return plants.map(() => stored);
    },
    async change(changes: readonly Change<Plant>[]) {
      passed.push(...changes);
      return changes.map(() => changed);
    },
  };
  const queue = createTestQueue(databaseOf(store));
  const [plant] = plantsOf(1);
  if (plant === undefined) throw new Error('there is one');
  await Promise.all([
    queue.writerOf('plant', 7).create(plant),
    queue.writerOf('plant', 'subject x').change(removalOf(2n)),
  ]);
  expect(passed).toMatchObject([
    { ...plant, addedBy: '7' },
    { id: 2n, by: 'subject x' },
  ]);
});

it('stores the creates and the changes of one turn in one commit each, creates first', async () => {
  const { create, change, commits } = openQueue();
  const writes = [...change(1), ...create(2), ...change(3), ...create(4)];
  expect(await Promise.all(writes)).toEqual([changed, stored, changed, stored]);
  await Promise.all(change(5, 6));
  expect(commits).toEqual(['2,4', '-1,-3', '-5,-6']);
});

it.each([
  [100, ['1,2,3,4']],
  [3, ['1,2,3', '4']],
])('batches plants as long as each turn brings more, up to %i plants', async (batchRecords, expected) => {
  const { create, commits } = openQueue({ limits: { batchRecords } });
  const writes = create(1, 2);
  for (const id of [3, 4]) {
    await nextTurn();
    writes.push(...create(id));
  }
  await Promise.all(writes);
  expect(commits).toEqual(expected);
});

/** Creates plants with the given numbers of bytes of text. */
const ofBytes = (...bytes: number[]): Plant[] => bytes.map((length) => ({ name: 'x'.repeat(length) }));
const five = ofBytes(10, 10, 10, 10, 10);
const inPairs = ['1,2', '3,4', '5'];
const inUtf8 = [{ name: '🌱', tag: 'é' }, { name: 'abc' }, { name: 'a' }];

it.each<[title: string, TestOptions, Plant[], commits: string[]]>([
  ['batches within the limit of plants', { limits: { batchRecords: 2 } }, five, inPairs],
  [
    'batches within the limit of bytes, but a larger plant alone',
    { limits: { batchBytes: 250 } },
    ofBytes(100, 100, 300, 100, 50),
    ['1,2', '3', '4,5'],
  ],
  ['batches within the limit of bytes in UTF-8', { limits: { batchBytes: 9 } }, inUtf8, ['1,2', '3']],
  ['what is queued at its limit of plants', { limits: { queueRecords: 4 }, concurrency: 3 }, five, inPairs],
  ['what is queued at its limit of bytes', { limits: { queueBytes: 40 }, concurrency: 3 }, five, inPairs],
  ['a plant of any size while the queue is empty', { limits: { queueBytes: 10 } }, ofBytes(1_000), ['1']],
])('stores %s, and rejects nothing', async (_, options, plants, expected) => {
  const { queue, commits } = openQueue(options);
  const { create } = queue.writerOf('plant', 1);
  const writes = plants.map((plant, at) => create({ id: BigInt(at + 1), ...plant }));
  expect(await Promise.all(writes)).toEqual(plants.map(() => stored));
  expect(commits).toEqual(expected);
});

it('limits the commits in flight, and stores later requests in one commit, in order', async () => {
  const { queue, create, commits, release, untilCommits } = openQueue({
    isHeld: true,
    concurrency: 2,
    limits: { batchRecords: 3 },
  });
  // Plants that do not fit into the first batch do not wait for it.
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
  const { queue, create, release } = openQueue({ isHeld: true, limits: { batchRecords: 1 } });
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

it.each([{ queueRecords: 4 }, { queueBytes: 4 * 'plant 1'.length }])(
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

it('is full for a caller that has reached its limit of queued creates and removals, and rejects more of either', async () => {
  const { queue, create, change, release, untilCommits } = openQueue({
    isHeld: true,
    limits: { queueRecords: 4 },
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
  writes.push(queue.writerOf('plant', 2).change(removalOf(4n)));
  await release(3);
  await Promise.all(writes);
  expect(queue.isFull(1)).toBe(false);
  expect(queue.queued()).toEqual({ records: 0, bytes: 0 });
});

it('gives several callers equal shares of a batch, and takes their plants in turn', async () => {
  const { queue, create, commits } = openQueue({ limits: { batchRecords: 6 }, callers: { count: () => 3 } });
  const createOf = (caller: string, id: bigint) =>
    queue.writerOf<Plant>('plant', caller).create({ id, name: 'x' });
  await Promise.all([...create(1, 2, 3, 4), createOf('few', 11n), createOf('other', 12n)]);
  expect(commits).toEqual(['1,11,12,2', '3,4']);
});

it('limits the bytes that each of several callers stores at once, but to no less than 256 KiB', async () => {
  const limits = { batchBytes: 2 ** 19 };
  const { queue, commits } = openQueue({ limits, callers: { count: () => 8 } });
  const { create } = queue.writerOf<Plant>('plant', 1);
  await Promise.all([1n, 2n, 3n, 4n].map((id) => create({ id, name: 'x'.repeat(100_000) })));
  expect(commits).toEqual(['1,2', '3,4']);
});

it.each([{ batchRecords: 2 }, { batchBytes: 2 * 'plant 1'.length }])(
  'stores a full batch before the turn ends, unless a commit is in flight: %j',
  async (limits) => {
    const { create, commits, release } = openQueue({ limits, isHeld: true });
    const outcomes = create(1);
    expect(commits).toEqual([]);
    outcomes.push(...create(2));
    expect(commits).toEqual(['1,2']);
    outcomes.push(...create(3, 4));
    await nextTurn();
    expect(commits).toEqual(['1,2']);
    await release(2);
    await Promise.all(outcomes);
    expect(commits).toEqual(['1,2', '3,4']);
  },
);

it('measures the share of time in which writes wait', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { queue, create, release } = openQueue({ isHeld: true });
  const [outcome] = create(1);
  vi.advanceTimersByTime(1_000);
  expect(queue.waitingShare()).toBe(1);
  await release();
  await outcome;
  await queue.idle();
  vi.advanceTimersByTime(1_000);
  expect(queue.waitingShare()).toBe(0);
});

it('rejects only the records that the store cannot create or change, and stores the rest of the batch in order', async () => {
  const row3 = new Error('row 3');
  const { create, change, commits } = openQueue({
    findError: (ids) => (ids.some((id) => id % 10 === 3) ? row3 : undefined),
  });
  const outcomes = await Promise.allSettled([...create(1, 2, 3, 4, 5), ...change(11, 12, 13)]);
  expect(outcomes.flatMap((outcome, at) => ('reason' in outcome ? [at] : []))).toEqual([2, 7]);
  expect([outcomes[2], outcomes[7]]).toMatchObject([{ reason: row3 }, { reason: row3 }]);
  const changes = ['-11,-12,-13', '-11,-12', '-13'];
  expect(commits).toEqual(['1,2,3,4,5', '1,2,3', '1,2', '3', '4,5', ...changes]);
});

it('rejects the entire batch without a retry when the database does not answer', async () => {
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
      isHeld: true,
      concurrency: options.concurrency,
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

it('rejects only the records that the store returns no outcome for', async () => {
  const queue = createTestQueue(
    databaseOf({
      create: async (plants) => plants.slice(0, 2).map(() => stored),
      change: async () => [],
    }),
  );
  const outcomes = await Promise.allSettled(plantsOf(1, 2, 3).map(queue.writerOf('plant', 1).create));
  const unknown = { status: 'rejected', reason: new Error('The store returned no outcome') };
  expect(outcomes).toEqual([fulfilled, fulfilled, unknown]);
});

it.each([
  [true, ['1,garden -2,garden 3,-4,5', '1,garden -2,garden 3', '1,garden -2', 'garden 3', '-4,5']],
  [false, ['1,5', 'garden 3', 'garden -2', '-4']],
])(
  'rejects only the record that cannot be stored of several resources (together: %s)',
  async (writesTogether, expected) => {
    const garden3 = new Error('garden 3');
    const { queue, commits, create, change } = openQueue({
      together: { writesTogether },
      findError: (ids) => (ids.includes(3) ? garden3 : undefined),
    });
    const gardens = queue.writerOf('garden', 1);
    const writes = [
      ...create(1),
      gardens.change(removalOf(2n)),
      gardens.create({ id: 3n }),
      ...change(4),
      ...create(5),
    ];
    expect(queue.queued()).toEqual({ records: 5, bytes: 2 * 'plant 1'.length + 20 });
    const changedNow = { status: 'fulfilled', value: changed };
    const outcomes = [fulfilled, changedNow, { status: 'rejected', reason: garden3 }, changedNow, fulfilled];
    expect(await Promise.allSettled(writes)).toEqual(outcomes);
    expect(commits).toEqual(expected);
  },
);

it('commits each change separately if the engine cannot commit several together', async () => {
  const { commits, create, change } = openQueue({ together: { changesTogether: false } });
  await Promise.all([...create(1, 2), ...change(3, 4)]);
  expect(commits).toEqual(['1,2', '-3', '-4']);
});
