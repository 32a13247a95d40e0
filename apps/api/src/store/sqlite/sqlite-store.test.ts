import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.js';
import { stored } from '../store.js';
import { openSqlite } from './open-sqlite.js';

const fern = { id: 1n, name: 'Fern' };
const rose = { id: 2n, name: 'Rose' };
const noFern = { id: 1n, deleted: true } as const;

it('waits while another process has locked the file, and then inserts each record once, in order', async () => {
  const path = join(temporaryFolder(), 'plant-store.db');
  const database = await openSqlite(path);
  const other = new Sqlite(path);
  other.exec('BEGIN IMMEDIATE');
  const inserted = database.plants.insert([fern, { ...fern, name: 'Moss' }, rose, noFern, noFern, fern]);
  setTimeout(() => other.exec('COMMIT'), 100);
  expect(await inserted).toEqual([
    ...[stored, { stored: false, existing: fern }, stored, stored],
    ...[noFern, noFern].map((existing) => ({ stored: false, existing })),
  ]);
  other.close();
  await database.close();
});

it.each([
  [
    'skips a plant',
    'INSERT ON plants WHEN NEW.id = 2',
    'IGNORE',
    rose,
    'The record 2 was not stored, and no row has its id',
  ],
  ['keeps one that is deleted', 'DELETE ON plants', 'IGNORE', noFern, 'The record 1 was not deleted'],
  [
    'rejects a plant',
    'INSERT ON plants WHEN NEW.id = 2',
    "ABORT, 'no roses'",
    rose,
    'SQLITE_CONSTRAINT_TRIGGER: no roses',
  ],
])('stores nothing of a batch of which a trigger %s', async (_, event, action, record, message) => {
  const path = join(temporaryFolder(), 'plant-store.db');
  const database = await openSqlite(path);
  await database.plants.insert([fern]);
  const other = new Sqlite(path);
  other.exec(`CREATE TRIGGER t BEFORE ${event} BEGIN SELECT RAISE(${action}); END`);
  await expect(database.plants.insert([{ id: 3n, name: 'Ivy' }, record])).rejects.toThrow(message);
  expect(await database.plants.find([2n, 3n])).toEqual([]);
  expect(await database.plants.insert([{ id: 3n, name: 'Ivy' }])).toEqual([stored]);
  other.close();
  await database.close();
});

it('lists again after an error, on a connection of its own again', async () => {
  const path = join(temporaryFolder(), 'plant-store.db');
  const database = await openSqlite(path);
  await database.plants.insert([fern]);
  const list = () => database.plants.list({ order: 'id' }, { matches: 10, plants: 10, bytes: 1_000 });
  expect(await list()).toMatchObject({ plants: [fern] });
  const other = new Sqlite(path);
  other.exec('ALTER TABLE plants RENAME TO moved');
  await expect(list()).rejects.toThrow('no such table');
  other.exec('ALTER TABLE moved RENAME TO plants');
  expect(await list()).toMatchObject({ plants: [fern] });
  other.close();
  await database.close();
});
