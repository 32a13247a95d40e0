import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Plant } from '@plant-store/contract';
import { expect, it, vi } from 'vitest';
import { collect } from '../../test/support/collect.js';
import { plantsOf } from '../../test/support/plants/plants-of.js';
import { runInProcess } from '../../test/support/process/run-in-process.js';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { until } from '../../test/support/until.js';
import { databaseUnavailable } from '../store/database.js';
import * as openDatabase from '../store/open-database.js';
import { openSqlite } from '../store/sqlite/open-sqlite.js';
import type { RecordStore } from '../store/store.js';
import { readAll } from './export.js';

/** Creates a folder with a database whose store reads plants with `read`. */
async function createStore(read: RecordStore<Plant>['read']): Promise<string> {
  const folder = temporaryFolder();
  const database = await openSqlite(join(folder, 'plant-store.db'));
  const plants = { ...database.stores.plant, read };
  const stores = { ...database.stores, plant: plants };
  vi.spyOn(openDatabase, 'openDatabase').mockResolvedValue({ ...database, stores });
  return folder;
}

it('stops on a signal while the database does not answer, and leaves no file behind', async () => {
  const firstRead = Promise.withResolvers<NodeJS.Signals>();
  const next = () => {
    firstRead.resolve('SIGTERM');
    return Promise.reject(databaseUnavailable(new Error('connection refused')));
  };
  const folder = await createStore(() => ({ [Symbol.asyncIterator]: () => ({ next }) }));
  const call = { folder, signal: firstRead.promise };
  expect(await runInProcess(['export', '--output', 'plants.ndjson'], call)).toMatchObject({
    exitCode: 1,
    stderr: 'plant-store: Stopped by SIGTERM.\n',
  });
  expect(readdirSync(folder)).toEqual(['plant-store.db']);
});

it('reads no further ahead than its output is read', async () => {
  let pages = 0;
  async function* read() {
    while (pages < 100) yield plantsOf(BigInt(pages++));
  }
  const reading = Promise.withResolvers<void>();
  const exporting = runInProcess(['export'], { folder: await createStore(read), reading: reading.promise });
  await until(() => pages > 0);
  for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
  expect(pages).toBeLessThan(4);
  reading.resolve();
  expect(await exporting).toMatchObject({ exitCode: 0, stderr: '100 plants exported.\n' });
});

const plants = plantsOf(-3n, 1n, 2n, 5n, 8n);
const limits = { records: 2, bytes: 100 };

/** Reads pages of one plant; the attempts with these numbers fail. */
function createReader(...failing: readonly number[]) {
  let attempts = 0;
  return vi.fn<RecordStore['read']>(async function* (after) {
    for (const plant of plants) {
      if (after !== undefined && plant.id <= after) continue;
      if (failing.includes(++attempts)) throw new Error(`attempt ${attempts} failed`);
      yield [plant];
    }
  });
}

const retryTwice = async <Result>(readNext: () => Promise<Result>) =>
  readNext().catch(readNext).catch(readNext);

it('resumes after the last plant when an attempt fails, and yields each plant once', async () => {
  const read = createReader(1, 3, 4, 7);
  expect((await collect(readAll(read, limits, retryTwice))).flat()).toEqual(plants);
  expect(read.mock.calls).toEqual([undefined, undefined, -3n, -3n, 2n].map((after) => [after, limits]));
});

it('throws the error of the last attempt', async () => {
  const read = createReader(2, 3, 4);
  await expect(collect(readAll(read, limits, retryTwice))).rejects.toThrow('attempt 4 failed');
});
