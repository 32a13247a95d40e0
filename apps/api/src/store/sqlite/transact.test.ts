import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { recordLog } from '../../../test/support/database/record-log.js';
import { temporaryFolder } from '../../../test/support/temporary-folder.js';
import type { Database } from '../database.js';
import { identifyFiles } from './file-identity.js';
import { checkIntervalMs, guardFiles } from './guard-files.js';
import { openSqlite } from './open-sqlite.js';
import { createTransact } from './transact.js';

let folder = '';
let path = '';
let database: Database;
let { log, lines } = recordLog();

beforeEach(async () => {
  ({ log, lines } = recordLog());
  folder = temporaryFolder();
  path = join(folder, 'plant-store.db');
  database = await openSqlite(path);
});
afterEach(async () => {
  await database.close();
});

const unavailable = { errorName: 'database_unavailable', headers: { 'Retry-After': '1' } };
const never = () => {
  throw new Error('the log must not be saved');
};
const open = () => {
  const guard = guardFiles(identifyFiles(path), log, never);
  return { guard, transact: createTransact(guard, log) };
};

it('checks again after a commit that took long, before its outcome is returned', async () => {
  const { transact } = open();
  expect(await transact(async () => 'stored')).toBe('stored');
  const storing = transact(async () => {
    rmSync(path);
    await sleep(2 * checkIntervalMs);
    return 'stored';
  });
  await expect(storing).rejects.toMatchObject(unavailable);
});

it('stores nothing in a file that is gone, and logs once until it is back', async () => {
  const { guard, transact } = open();
  renameSync(path, `${path}.away`);
  expect(() => guard.check()).toThrow();
  let stored = 0;
  const store = async () => ++stored;
  for (let count = 0; count < 3; count++) await expect(transact(store)).rejects.toMatchObject(unavailable);
  expect(stored).toBe(0);
  renameSync(`${path}.away`, path);
  expect(await transact(store)).toBe(1);
  expect(lines).toEqual([
    `error: a file of the database is gone: ${path} was deleted or moved away while it is open. Move the same file back, or stop the service and restore a backup.`,
    'info: the files of the database are back',
  ]);
});

it('reports a file that is gone rather than the error of SQLite', async () => {
  const { transact } = open();
  const storing = transact(async () => {
    rmSync(path);
    throw new Error('disk I/O error');
  });
  await expect(storing).rejects.toMatchObject(unavailable);
});

it('passes on any other error unchanged', async () => {
  const { transact } = open();
  await expect(transact(async () => never())).rejects.toThrow('must not be saved');
  expect(lines).toEqual([]);
});
