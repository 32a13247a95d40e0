import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it, vi } from 'vitest';
import { collect } from '../../test/support/collect.js';
import { plantsOf } from '../../test/support/plants/plants-of.js';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { parseConfig } from '../config.js';
import type { PlantStore } from '../plants/plant-store.js';
import { databaseUnavailable } from '../store/database.js';
import * as openDatabase from '../store/open-database.js';
import { openSqlite } from '../store/sqlite/open-sqlite.js';
import type { CliContext } from './cli-context.js';
import { exportPlants, readAllPlants } from './export.js';

it('stops on a signal while the database does not answer, and leaves no file behind', async () => {
  const folder = temporaryFolder();
  const database = await openSqlite(join(folder, 'plant-store.db'));
  const firstRead = Promise.withResolvers<NodeJS.Signals>();
  const next = () => {
    firstRead.resolve('SIGTERM');
    return Promise.reject(databaseUnavailable(new Error('connection refused')));
  };
  const read = () => ({ [Symbol.asyncIterator]: () => ({ next }) });
  vi.spyOn(openDatabase, 'openDatabase').mockResolvedValue({
    ...database,
    plants: { ...database.plants, read },
  });
  const context: CliContext = {
    commandName: 'plant-store',
    folder,
    input: new PassThrough(),
    output: new PassThrough(),
    isTerminal: false,
    print: () => undefined,
    message: () => Promise.resolve(),
    showProgress: () => undefined,
    reportStarted: () => Promise.resolve(),
    stopSignal: () => firstRead.promise,
    onHangUp: () => undefined,
    startingProcessEnded: () => Promise.reject(new Error('only for a service')),
  };
  const config = parseConfig({ FAST_PATH: 'off' }, folder);
  await expect(exportPlants(config, { output: 'plants.ndjson', format: 'ndjson' }, context)).rejects.toThrow(
    'Stopped by SIGTERM.',
  );
  expect(readdirSync(folder)).toEqual(['plant-store.db']);
});

const plants = plantsOf(-3n, 1n, 2n, 5n, 8n);
const limits = { plants: 2, bytes: 100 };

/** Reads pages of one plant; the attempts with these numbers fail. */
function createReader(failing: readonly number[]) {
  let attempts = 0;
  return vi.fn<PlantStore['read']>(async function* (after) {
    for (const plant of plants) {
      if (after !== undefined && plant.id <= after) continue;
      if (failing.includes(++attempts)) throw new Error(`attempt ${attempts} failed`);
      yield [plant];
    }
  });
}

const retryTwice = async <Result>(readNext: () => Promise<Result>) =>
  readNext().catch(readNext).catch(readNext);

it('reads all plants in one go', async () => {
  const read = createReader([]);
  expect((await collect(readAllPlants(read, limits))).flat()).toEqual(plants);
  expect(read.mock.calls).toEqual([[undefined, limits]]);
});

it('goes on after the last plant once an attempt has failed, without leaving one out or returning it twice', async () => {
  const read = createReader([1, 3, 4, 7]);
  expect((await collect(readAllPlants(read, limits, retryTwice))).flat()).toEqual(plants);
  expect(read.mock.calls.map(([after]) => after)).toEqual([undefined, undefined, -3n, -3n, 2n]);
});

it('throws the error of the last attempt', async () => {
  const read = createReader([2, 3, 4]);
  await expect(collect(readAllPlants(read, limits, retryTwice))).rejects.toThrow('attempt 4 failed');
});
