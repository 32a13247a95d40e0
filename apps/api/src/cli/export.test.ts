import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { parseConfig } from '../config.js';
import { databaseUnavailable } from '../store/database.js';
import * as openDatabase from '../store/open-database.js';
import { openSqlite } from '../store/sqlite/open-sqlite.js';
import type { CliContext } from './cli-context.js';
import { exportPlants } from './export.js';

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
