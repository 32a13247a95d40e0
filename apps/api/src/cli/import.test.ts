import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NewPlant } from '@plant-store/contract';
import { removalOf, type Tombstone, withoutTombstones } from '@plant-store/records';
import { expect, it, onTestFinished, vi } from 'vitest';
import { collect } from '../../test/support/collect.js';
import { plantLine } from '../../test/support/process/plant-lines.js';
import { succeeded } from '../../test/support/process/run-command.js';
import { useCommands } from '../../test/support/process/run-in-process.js';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { until } from '../../test/support/until.js';
import type { Database } from '../store/database.js';
import * as openDatabase from '../store/open-database.js';
import { openSqlite } from '../store/sqlite/open-sqlite.js';
import type { RecordStore } from '../store/store.js';
import { type RecordLine, readRecordLine, recordTypes } from './formats.js';
import {
  type Batch,
  type BatchOutcome,
  type ReadLimits,
  type Row,
  type RowOutcome,
  readBatches,
  storeBatches,
  storeRecords,
  toRowOutcome,
} from './import.js';

const [type] = recordTypes;
const { operations } = type;
const limits = { fromLine: 1, lineBytes: 100, batchLines: 100, batchBytes: 10_000 };
const line = (id: number) => `{"id":${id},"name":"x"}`;
const { length } = line(1);

function read(lines: readonly string[], changes: Partial<ReadLimits> = {}): Promise<Batch[]> {
  const chunks = Readable.from([Buffer.from(lines.join('\n'))]);
  const readLine = (bytes: Buffer) => readRecordLine(bytes, recordTypes);
  return collect(readBatches(chunks, { ...limits, ...changes }, readLine));
}

it.each<[what: string, lines: string[], changes: Partial<ReadLimits>, numbers: number[][]]>([
  [
    'of at most as many lines, bad ones included',
    [line(1), 'bad', line(3), line(4), line(5)],
    { batchLines: 2 },
    [[1, 2], [3, 4], [5]],
  ],
  ['of at most as many bytes', [line(1), line(2), line(3)], { batchBytes: 2 * length }, [[1, 2], [3]]],
  ['of one line at least', [line(1), line(2)], { batchBytes: 1 }, [[1], [2]]],
  ['without blank lines, which count', ['', line(1), ' \r', line(2), ''], {}, [[2, 4]]],
  ['none if all lines are blank', ['', '\t'], {}, []],
  ['from the given line on', [line(1), 'bad', line(3), line(4)], { fromLine: 3 }, [[3, 4]]],
  ['none from behind the last line on', [line(1), line(2)], { fromLine: 3 }, []],
])('reads lines in batches: %s', async (_, lines, changes, numbers) => {
  const batches = await read(lines, changes);
  expect(batches.map((batch) => batch.map(({ number }) => number))).toEqual(numbers);
});

it('rejects only a line that is longer than the limit', async () => {
  expect(await read([line(10), line(1)], { lineBytes: length })).toEqual([
    [
      { number: 1, reason: `The line is longer than ${length} bytes.` },
      { number: 2, ...plant(1) },
    ],
  ]);
});

/** Stores batches of lines, numbered consecutively, each of which the test lets succeed or fail. */
function startStoring(lines: readonly RecordLine[][], concurrency: number) {
  const existing = new Map<bigint, NewPlant>();
  const inFlight: { ids: bigint[]; succeed(): void; fail(error: Error): void }[] = [];
  function store(plant: NewPlant): RowOutcome {
    const other = existing.get(plant.id);
    if (other !== undefined) return toRowOutcome(plant, { stored: false, existing: other }, operations);
    existing.set(plant.id, plant);
    return { stored: true };
  }
  const storeAll = (rows: readonly Row[]) =>
    new Promise<readonly RowOutcome[]>((resolve, reject) => {
      const plants = withoutTombstones(rows.map(({ record }) => record)) as NewPlant[];
      const ids = plants.map(({ id }) => id);
      inFlight.push({ ids, succeed: () => resolve(plants.map(store)), fail: reject });
    });
  async function* batches() {
    let number = 1;
    for (const batch of lines) yield batch.map((line) => ({ number: number++, ...line })) satisfies Batch;
  }
  const outcomes: BatchOutcome[] = [];
  const done = (async () => {
    for await (const outcome of storeBatches(storeAll, batches(), concurrency)) outcomes.push(outcome);
  })();
  done.catch(() => undefined);
  return {
    outcomes,
    done,
    succeed: (index: number) => inFlight[index]?.succeed(),
    fail: (index: number) => inFlight[index]?.fail(new Error('disk full')),
    /** Checks that exactly these batches have been stored so far, given by their ids. */
    expectBatches: async (...expected: bigint[][]) => {
      await new Promise(setImmediate);
      expect(inFlight.map(({ ids }) => ids)).toEqual(expected);
    },
  };
}

const plant = (id: number, name = 'x') => ({ type, record: { id: BigInt(id), name } });

it('does not call the store for a batch without plants', async () => {
  const { outcomes, done, expectBatches } = startStoring([[{ reason: 'bad' }]], 1);
  await done;
  expect(outcomes).toMatchObject([{ stored: 0, alreadyThere: 0, nextLine: 2 }]);
  await expectBatches();
});

it('stores a limited number of batches concurrently, and reports them in order', async () => {
  const { outcomes, done, succeed, expectBatches } = startStoring([[plant(1)], [plant(2)], [plant(3)]], 2);
  await expectBatches([1n], [2n]);
  succeed(1);
  await expectBatches([1n], [2n]);
  expect(outcomes).toEqual([]);
  succeed(0);
  await expectBatches([1n], [2n], [3n]);
  succeed(2);
  await done;
  expect(outcomes.map(({ nextLine }) => nextLine)).toEqual([2, 3, 4]);
});

it('stores batches that share an id one after the other, so the first line gets it', async () => {
  const lines = [[plant(1), plant(2)], [plant(3), plant(2, 'y')], [plant(4)]];
  const { outcomes, done, succeed, expectBatches } = startStoring(lines, 3);
  await expectBatches([1n, 2n]);
  succeed(0);
  await expectBatches([1n, 2n], [3n, 2n], [4n]);
  succeed(2);
  succeed(1);
  await done;
  expect(outcomes.flatMap(({ badLines }) => badLines)).toEqual([
    { number: 4, reason: 'Plant 2 already exists with different values.' },
  ]);
});

it('reports the batches that are done, and waits for those in flight, before it fails', async () => {
  const storing = startStoring([[plant(1)], [plant(2)], [plant(3)]], 2);
  const { outcomes, done, succeed, fail, expectBatches } = storing;
  const onFailure = vi.fn();
  done.catch(onFailure);
  await expectBatches([1n], [2n]);
  succeed(0);
  await expectBatches([1n], [2n], [3n]);
  fail(1);
  await expectBatches([1n], [2n], [3n]);
  expect(onFailure).not.toHaveBeenCalled();
  succeed(2);
  await expect(done).rejects.toThrow('disk full');
  expect(outcomes.map(({ nextLine }) => nextLine)).toEqual([2]);
});

/** The plants of a new database, whose calls are recorded. */
async function open() {
  const { stores, close } = await openSqlite(join(temporaryFolder(), 'plant-store.db'));
  onTestFinished(close);
  const plants = stores.plant as unknown as RecordStore;
  return { plants, create: vi.spyOn(plants, 'create'), change: vi.spyOn(plants, 'change') };
}

const fern = (name = 'Fern') => ({ id: 1n, name });
const rose = (name = 'Rose') => ({ id: 2n, name });
const tombstone = (id: bigint): Tombstone => ({ id, deleted: true });
const stored = { stored: true };
const there = { stored: false, problem: undefined };
const taken = (id: number) => ({
  stored: false,
  problem: `Plant ${id} already exists with different values.`,
});
const retired = (id: bigint) => ({
  stored: false,
  problem: expect.stringMatching(`^Plant ${id} was deleted.* --reuse-deleted-ids\\.$`),
});

it('has the same outcome as sequential records, in any order of plants and tombstones', async () => {
  const { plants, create, change } = await open();
  await plants.create([fern()]);
  create.mockClear();
  const records = [
    fern(),
    fern('other'),
    tombstone(1n),
    fern(),
    tombstone(3n),
    rose(),
    rose('other'),
    rose(),
    tombstone(2n),
    tombstone(2n),
    rose(),
  ];
  expect(await storeRecords(records, plants, operations)).toEqual([
    there,
    taken(1),
    stored,
    retired(1n),
    stored,
    stored,
    taken(2),
    there,
    stored,
    { stored: false },
    retired(2n),
  ]);
  expect(await plants.find([1n, 2n, 3n])).toEqual([1n, 2n, 3n].map(tombstone));
  // No matter how often an id occurs.
  expect(create).toHaveBeenCalledTimes(2);
  const changes = change.mock.calls.map(([some]) => some.map(({ id }) => id));
  expect(changes).toEqual([[1n, 3n, 2n]]);
});

const ivy = (name = 'Ivy') => ({ id: 1n, name });
const original = createHash('sha256')
  .update(JSON.stringify({ name: 'Fern' }))
  .digest('base64url');

it.each([
  ['the plant before it was updated', [fern()], there, { ...ivy(), original }],
  ['the plant as it is, of an older version', [ivy()], there, { ...ivy(), original }],
  ['the same update', [{ ...ivy(), original }], there, { ...ivy(), original }],
  ['another update', [{ ...ivy('Oak'), original }], there, { ...ivy(), original }],
  ['another plant', [ivy('Oak')], taken(1), { ...ivy(), original }],
  ['another plant, updated', [{ ...ivy('Oak'), original: 'other' }], taken(1), { ...ivy(), original }],
])('does not revert an update by %s', async (_, records, outcome, expected) => {
  const { plants } = await open();
  await plants.create([fern()]);
  await plants.change([{ id: 1n, bytes: 0, replace: () => ({ ...ivy(), original }) }]);
  expect(await storeRecords(records, plants, operations)).toEqual([outcome]);
  expect(await plants.find([1n])).toMatchObject([expected]);
});

it('adds the original of a plant that an earlier import stored without it', async () => {
  const { plants } = await open();
  const updated = { ...ivy(), original, addedAt: 5 };
  await plants.create([{ ...ivy(), addedAt: 7 }]);
  expect(await storeRecords([updated, { ...updated }], plants, operations)).toEqual([stored, there]);
  expect(await plants.find([1n])).toMatchObject([{ ...updated, addedAt: 7 }]);
});

it('reuses the id of a deleted plant for the first plant in the file that has it', async () => {
  const { plants } = await open();
  await plants.create([fern()]);
  await plants.change([removalOf<object>(1n)]);
  const records = [fern(), fern(), ivy(), { ...ivy(), original }, tombstone(2n), rose(), rose()];
  expect(await storeRecords(records, plants, operations)).toEqual([
    retired(1n),
    retired(1n),
    retired(1n),
    retired(1n),
    stored,
    retired(2n),
    retired(2n),
  ]);
  expect(await storeRecords(records, plants, operations, true)).toEqual([
    stored,
    there,
    taken(1),
    taken(1),
    there,
    stored,
    there,
  ]);
  expect(await plants.find([1n, 2n])).toMatchObject([fern(), rose()]);
});

it.each([1, 2])('stores %i batches of 1,000 lines at a time', async (concurrentCommits) => {
  const sizes: number[] = [];
  let [inFlight, most] = [0, 0];
  const create: RecordStore['create'] = async (plants) => {
    if (plants.length === 0) return [];
    sizes.push(plants.length);
    most = Math.max(most, ++inFlight);
    await until(() => most >= concurrentCommits, 1);
    // Long enough for one more.
    await sleep(20);
    inFlight--;
    return plants.map(() => ({ stored: true, addedAt: 1 }) as const);
  };
  const plant = { create, change: async () => [] };
  const audit = { add: async () => undefined };
  const database = { stores: { plant }, audit, concurrentCommits, close: async () => undefined };
  vi.spyOn(openDatabase, 'openDatabase').mockResolvedValue(database as unknown as Database);
  const text = Array.from({ length: 5_500 }, (_, id) => plantLine(id)).join('');
  expect(await useCommands().run('import', text)).toEqual(
    succeeded('', '5500 imported, 0 already there, 0 bad\n'),
  );
  expect(most).toBe(concurrentCommits);
  expect(sizes).toEqual([...Array(5).fill(1_000), 500]);
});
