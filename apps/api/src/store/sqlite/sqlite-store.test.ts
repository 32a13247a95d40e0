import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.js';
import { stored } from '../store.js';
import { openSqlite } from './open-sqlite.js';

const fern = { id: 1n, name: 'Fern' };
const rose = { id: 2n, name: 'Rose' };

it('waits while another process has locked the file, and then stores and removes each record once, in order', async () => {
  const path = join(temporaryFolder(), 'plant-store.db');
  const { plants, close } = await openSqlite(path);
  const other = new Sqlite(path);
  const whileLocked = <Result>(write: () => Promise<Result>) => {
    other.exec('BEGIN IMMEDIATE');
    setTimeout(() => other.exec('COMMIT'), 100);
    return write();
  };
  expect(await whileLocked(() => plants.create([fern, { ...fern, name: 'Moss' }, rose]))).toEqual([
    stored,
    { stored: false, existing: { ...fern, addedAt: expect.any(Number) } },
    stored,
  ]);
  expect(await whileLocked(() => plants.remove([1n, 3n, 1n]))).toEqual([
    'removed',
    'unknown',
    'removed_before',
  ]);
  other.close();
  await close();
});

const notStored = 'The record 2 was not stored, and no row has its id';
const notRemoved = 'The record 1 was not removed';

describe.each([0, 40])('beside %i other plants of a call', (count) => {
  const others = Array.from({ length: count }, (_, at) => ({ id: BigInt(100 + at), name: 'x' }));

  it.each([
    ['skips a plant', 'INSERT ON plants WHEN NEW.id = 2', 'IGNORE', notStored],
    [
      'rejects a plant',
      'INSERT ON plants WHEN NEW.id = 2',
      "ABORT, 'no roses'",
      'SQLITE_CONSTRAINT_TRIGGER: no roses',
    ],
    ['ends a transaction', 'INSERT ON plants WHEN NEW.id = 2', "ROLLBACK, 'all undone'", 'all undone'],
    ['keeps a plant that is removed', 'DELETE ON plants WHEN OLD.id = 1', 'IGNORE', notRemoved],
    ['skips a tombstone', 'INSERT ON plants WHEN NEW.id = 1', 'IGNORE', notRemoved],
  ])('changes nothing for a batch of which a trigger %s', async (_, event, action, message) => {
    const path = join(temporaryFolder(), 'plant-store.db');
    const { plants, close } = await openSqlite(path);
    const [ivy, oak] = [
      { id: 3n, name: 'Ivy' },
      { id: 4n, name: 'Oak' },
    ];
    await plants.create([fern, ivy]);
    const other = new Sqlite(path);
    other.exec(`CREATE TRIGGER t BEFORE ${event} BEGIN SELECT RAISE(${action}); END`);
    const write =
      message === notRemoved
        ? () => plants.remove([3n, 1n])
        : () => plants.create([oak, ...others, rose, ...others]);
    await expect(write()).rejects.toThrow(message);
    expect(await plants.find([1n, 2n, 3n, 4n])).toMatchObject([fern, ivy]);
    expect(await plants.find(others.map(({ id }) => id))).toEqual([]);
    expect(await plants.create([oak])).toEqual([stored]);
    expect(await plants.remove([3n])).toEqual(['removed']);
    other.close();
    await close();
  });
});

it('lists again after an error, on a connection of its own again', async () => {
  const path = join(temporaryFolder(), 'plant-store.db');
  const database = await openSqlite(path);
  await database.plants.create([fern]);
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
