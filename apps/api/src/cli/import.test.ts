import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { removalOf, type Tombstone } from '@plant-store/records';
import { expect, it, onTestFinished } from 'vitest';
import { collect } from '../../test/support/collect.js';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { openSqlite } from '../store/sqlite/open-sqlite.js';
import type { RecordStore } from '../store/store.js';
import { readRecordLine, recordTypes } from './formats.js';
import { type ReadLimits, readBatches, storeRecords } from './import.js';

const [{ operations }] = recordTypes;
const line = (id: number) => `{"id":${id},"name":"x"}`;
const { length } = line(1);
const limits = { fromLine: 1, lineBytes: length, batchLines: 100, batchBytes: 10_000 };

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
  ['none from behind the last line on', [line(1), line(2)], { fromLine: 3 }, []],
])('reads lines in batches: %s', async (_, lines, changes, numbers) => {
  const chunks = Readable.from([Buffer.from(lines.join('\n'))]);
  const readLine = (bytes: Buffer) => readRecordLine(bytes, recordTypes);
  const batches = await collect(readBatches(chunks, { ...limits, ...changes }, readLine));
  expect(batches.map((batch) => batch.map(({ number }) => number))).toEqual(numbers);
});

/** The plants of a new database. */
async function open() {
  const { stores, close } = await openSqlite(join(temporaryFolder(), 'plant-store.db'));
  onTestFinished(close);
  return stores.plant as unknown as RecordStore;
}

const fern = (name = 'Fern') => ({ id: 1n, name });
const rose = (name = 'Rose') => ({ id: 2n, name });
const ivy = (name = 'Ivy') => ({ id: 1n, name });
const original = createHash('sha256')
  .update(JSON.stringify({ name: 'Fern' }))
  .digest('base64url');
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
  const plants = await open();
  await plants.create([fern()]);
  const lines = [
    [fern(), there],
    [fern('other'), taken(1)],
    [tombstone(1n), stored],
    [fern(), retired(1n)],
    [tombstone(3n), stored],
    [rose(), stored],
    [rose('other'), taken(2)],
    [rose(), there],
    [tombstone(2n), stored],
    [tombstone(2n), { stored: false }],
    [rose(), retired(2n)],
  ] as const;
  const records = lines.map(([record]) => record);
  expect(await storeRecords(records, plants, operations)).toEqual(lines.map(([, outcome]) => outcome));
  expect(await plants.find([1n, 2n, 3n])).toEqual([1n, 2n, 3n].map(tombstone));
});

it.each([
  ['the plant before it was updated', fern(), there],
  ['the plant as it is, of an older version', ivy(), there],
  ['another update', { ...ivy('Oak'), original }, there],
  ['another plant', ivy('Oak'), taken(1)],
  ['another plant, updated', { ...ivy('Oak'), original: 'other' }, taken(1)],
])('does not revert an update by %s', async (_, record, outcome) => {
  const plants = await open();
  await plants.create([fern()]);
  await plants.change([{ id: 1n, bytes: 0, replace: () => ({ ...ivy(), original }) }]);
  expect(await storeRecords([record], plants, operations)).toEqual([outcome]);
  expect(await plants.find([1n])).toMatchObject([{ ...ivy(), original }]);
});

it('adds the original of a plant that an earlier import stored without it', async () => {
  const plants = await open();
  const updated = { ...ivy(), original, addedAt: 5 };
  await plants.create([{ ...ivy(), addedAt: 7 }]);
  expect(await storeRecords([updated, { ...updated }], plants, operations)).toEqual([stored, there]);
  expect(await plants.find([1n])).toMatchObject([{ ...updated, addedAt: 7 }]);
});

it('reuses the ID of a deleted plant for the first plant in the file that has it', async () => {
  const plants = await open();
  await plants.create([fern()]);
  await plants.change([removalOf<object>(1n)]);
  const lines = [
    [fern(), retired(1n), stored],
    [fern(), retired(1n), there],
    [ivy(), retired(1n), taken(1)],
    [{ ...ivy(), original }, retired(1n), taken(1)],
    [tombstone(2n), stored, there],
    [rose(), retired(2n), stored],
    [rose(), retired(2n), there],
  ] as const;
  const records = lines.map(([record]) => record);
  const rejected = lines.map(([, outcome]) => outcome);
  expect(await storeRecords(records, plants, operations)).toEqual(rejected);
  const reused = lines.map(([, , outcome]) => outcome);
  expect(await storeRecords(records, plants, operations, true)).toEqual(reused);
  expect(await plants.find([1n, 2n])).toMatchObject([fern(), rose()]);
});
