import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.js';
import { copySqlite } from './copy-sqlite.js';
import { openSqlite } from './open-sqlite.js';

let folder = '';
let path = '';
let copyPath = '';
beforeEach(async () => {
  folder = temporaryFolder();
  path = join(folder, 'plant-store.db');
  copyPath = join(folder, 'copy.db');
  writeFileSync(copyPath, '');
  const database = await openSqlite(path);
  await database.plants.create([{ id: 1n, name: 'Fern' }]);
  await database.close();
});

const never = new AbortController().signal;

it('copies what is committed, and nothing else', async () => {
  const writer = new Sqlite(path);
  writer.exec(
    `INSERT INTO plants (id, name) VALUES (2, 'in the log'); BEGIN; INSERT INTO plants (id, name) VALUES (3, 'x')`,
  );
  expect(await copySqlite(path, copyPath, never)).toBe(2);
  writer.close();
  const copy = new Sqlite(copyPath, { readonly: true });
  expect(copy.prepare('SELECT id FROM plants ORDER BY id').pluck().all()).toEqual([1, 2]);
  copy.close();
});

it('stops immediately when it is aborted, and removes the journal of the copy', async () => {
  // The copy waits for this lock, so it cannot end by itself.
  const other = new Sqlite(copyPath);
  other.exec('BEGIN EXCLUSIVE');
  writeFileSync(`${copyPath}-journal`, '');
  const controller = new AbortController();
  const copying = copySqlite(path, copyPath, controller.signal);
  await Promise.all([
    expect(copying).rejects.toThrow('enough'),
    sleep(500).then(() => controller.abort(new Error('enough'))),
  ]);
  expect(existsSync(`${copyPath}-journal`)).toBe(false);
  other.exec('ROLLBACK');
  other.close();
  expect(statSync(copyPath).size).toBe(0);
});

it('does not begin when it is aborted already', async () => {
  await expect(copySqlite(path, copyPath, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  expect(statSync(copyPath).size).toBe(0);
});

it('rejects an empty database', async () => {
  await expect(copySqlite(copyPath, join(folder, 'other.db'), never)).rejects.toThrow(`${copyPath} is empty`);
});
