import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Plant } from '@plant-store/contract';
import { expect, it, vi } from 'vitest';
import { plantsOf } from '../../test/support/plants/plants-of.js';
import { runInProcess } from '../../test/support/process/run-in-process.js';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { until } from '../../test/support/until.js';
import { databaseUnavailable } from '../store/database.js';
import * as openDatabase from '../store/open-database.js';
import { openSqlite } from '../store/sqlite/open-sqlite.js';
import type { RecordStore } from '../store/store.js';

const unavailable = databaseUnavailable(new Error('connection refused'));

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
    return Promise.reject(unavailable);
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

it('resumes after the last plant when the database does not answer, and exports each plant once', async () => {
  const plants = plantsOf(-3n, 1n, 2n);
  const failing = [1, 3];
  let attempts = 0;
  const read = vi.fn<RecordStore<Plant>['read']>(async function* (after) {
    for (const plant of plants) {
      if (after !== undefined && plant.id <= after) continue;
      if (failing.includes(++attempts)) throw unavailable;
      yield [plant];
    }
  });
  const { stdout } = await runInProcess(['export'], { folder: await createStore(read) });
  expect(stdout.match(/(?<="id":)-?\d+/g)).toEqual(['-3', '1', '2']);
  expect(read.mock.calls.map(([after]) => after)).toEqual([undefined, undefined, -3n]);
});
