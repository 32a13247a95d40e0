import { closeSync, existsSync, mkdtempSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openSqlite } from './open-sqlite.js';
import { startCheckpointer } from './start-checkpointer.js';

let folder = '';
let path = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plant-store-test-'));
  path = join(folder, 'plant-store.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('moves commits into the database file while it is open, and lets go of it', async () => {
  const database = await openSqlite(path);
  const size = statSync(path).size;
  const plants = Array.from({ length: 1_000 }, (_, index) => ({ id: BigInt(index), name: 'x'.repeat(100) }));
  await database.plants.insert(plants);
  await vi.waitUntil(() => statSync(path).size > size + 100_000, { timeout: 30_000 });
  await database.close();
  expect(existsSync(`${path}-wal`)).toBe(false);
});

it('starts the log anew under steady writing, again and again', async () => {
  await (await openSqlite(path)).close();
  const writer = new Sqlite(path);
  writer.pragma('wal_autocheckpoint = 0');
  const insert = writer.prepare('INSERT INTO plants (id, name) VALUES (?, ?)');
  let id = 0;
  insert.run(id, 'x');
  const checkpointer = startCheckpointer(path, 100);
  for (let restarts = 1; restarts <= 3; restarts++) {
    const before = readLogNumber();
    while (readLogNumber() === before) {
      id++;
      insert.run(id, 'x'.repeat(10_000));
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
  writer.close();
  await checkpointer.stop();
});

it('holds up no writer while somebody reads an older state', async () => {
  await (await openSqlite(path)).close();
  const writer = new Sqlite(path, { timeout: 0 });
  writer.pragma('wal_autocheckpoint = 0');
  const insert = writer.prepare('INSERT INTO plants (id, name) VALUES (?, ?)');
  insert.run(0, 'x');
  const reader = new Sqlite(path);
  reader.exec('BEGIN; SELECT * FROM plants');
  const checkpointer = startCheckpointer(path, 10);
  // Several rounds of the checkpointer, each with a log that is past its limit.
  for (let id = 1; id <= 500; id++) {
    insert.run(id, 'x'.repeat(10_000));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  reader.close();
  writer.close();
  await checkpointer.stop();
});

/** How often the log was started anew, as its header says (https://www.sqlite.org/fileformat.html#walformat). */
function readLogNumber(): number {
  const header = Buffer.alloc(32);
  const file = openSync(`${path}-wal`, 'r');
  readSync(file, header);
  closeSync(file);
  return header.readUInt32BE(12);
}

it('warns when it fails, and the store goes on', async () => {
  const database = await openSqlite(path);
  const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
  const checkpointer = startCheckpointer(join(folder, 'nowhere.db'));
  expect((await warned).message).toContain('unable to open database file');
  await checkpointer.stop();
  expect(await database.plants.insert([{ id: 1n, name: 'x' }])).toEqual([{ stored: true }]);
  await database.close();
});

it('leaves no commit behind when it is cut off', async () => {
  const database = await openSqlite(path);
  await database.plants.insert([{ id: 1n, name: 'x' }]);
  const checkpointer = startCheckpointer(path);
  await database.plants.insert([{ id: 2n, name: 'y' }]);
  await checkpointer.stop();
  await database.close();
  const reader = new Sqlite(path, { readonly: true });
  expect(reader.prepare('SELECT count(*) FROM plants').pluck().get()).toBe(2);
  reader.close();
});
