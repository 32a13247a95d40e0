import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.js';
import { createDurableFactory, openConnection } from './connections.js';
import { PrismaClient } from './generated/client.js';
import { openSqlite } from './open-sqlite.js';

let folder = '';
let path = '';

beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder, 'new/plant-store.db');
});

it('commits with a write-ahead log that is synced at every commit', async () => {
  await (await openSqlite(path)).close();
  const prisma = new PrismaClient({ adapter: createDurableFactory(path) });
  // 2 is FULL (https://www.sqlite.org/pragma.html#pragma_synchronous).
  expect(await prisma.$queryRaw`PRAGMA synchronous`).toEqual([{ synchronous: 2n }]);
  expect(await prisma.$queryRaw`PRAGMA journal_mode`).toEqual([{ journal_mode: 'wal' }]);
  expect(await prisma.$queryRaw`PRAGMA foreign_keys`).toEqual([{ foreign_keys: 1n }]);
  await prisma.$disconnect();
});

it('commits plants on a connection with the same settings', async () => {
  await (await openSqlite(path)).close();
  const connection = openConnection(path);
  const read = (name: string) => connection.pragma(name, { simple: true });
  expect(['synchronous', 'journal_mode', 'secure_delete', 'fullfsync'].map(read)).toEqual([2, 'wal', 1, 1]);
  connection.close();
});

it("rejects another program's database, and leaves it unchanged", async () => {
  const file = join(folder, 'other.db');
  const database = new Sqlite(file);
  database.exec('CREATE TABLE customers (id INTEGER)');
  database.close();
  const before = readFileSync(file);
  await expect(openSqlite(file)).rejects.toThrow('it belongs to another program');
  expect(readFileSync(file).equals(before)).toBe(true);
});

it('opens an up-to-date database while another process writes', async () => {
  await (await openSqlite(path)).close();
  const other = new Sqlite(path);
  other.exec('BEGIN IMMEDIATE');
  await (await openSqlite(path)).close();
  other.exec('ROLLBACK');
  other.close();
});

it('waits for another process that has locked an up-to-date database', async () => {
  await (await openSqlite(path)).close();
  const other = new Sqlite(path);
  // A reader: the migrations can be checked beside it, but the write-ahead log cannot be switched on.
  other.exec('PRAGMA journal_mode = DELETE; BEGIN; SELECT id FROM plants');
  await Promise.all([
    openSqlite(path).then((database) => database.close()),
    sleep(500).then(() => other.close()),
  ]);
});
