import { existsSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { connectToSqlite, openSqliteFile } from '../../../test/support/database/open-sqlite-file.js';
import { copySqlite } from './copy-sqlite.js';

/** Creates a database with a plant, and an empty file to copy it to. */
async function createFiles() {
  const { path, database, store } = await openSqliteFile();
  await store.create([{ id: 1n, name: 'Fern' }]);
  await database.close();
  const copyPath = `${path}.copy`;
  writeFileSync(copyPath, '');
  return { path, copyPath };
}

const never = new AbortController().signal;

it('stops immediately when it is aborted, and removes the journal of the copy', async () => {
  const { path, copyPath } = await createFiles();
  // The copy waits for this lock, so it cannot end without the abort.
  const other = connectToSqlite(copyPath);
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
  expect(statSync(copyPath).size).toBe(0);
});

it('does not begin when it is aborted already, nor for an empty database', async () => {
  const { path, copyPath } = await createFiles();
  await expect(copySqlite(path, copyPath, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  expect(statSync(copyPath).size).toBe(0);
  await expect(copySqlite(copyPath, `${path}.other`, never)).rejects.toThrow(`${copyPath} is empty`);
});
