import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readMigrations } from '../migrations.js';
import { PrismaClient } from './generated/client.js';
import { createDurableAdapter, openSqlite } from './open-sqlite.js';

let folder = '';
let path = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plant-store-test-'));
  path = join(folder, 'new/plant-store.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('commits with a write-ahead log that is synced at every commit', async () => {
  await (await openSqlite(path)).close();
  const prisma = new PrismaClient({ adapter: createDurableAdapter(path) });
  // 2 is FULL (https://www.sqlite.org/pragma.html#pragma_synchronous).
  expect(await prisma.$queryRaw`PRAGMA synchronous`).toEqual([{ synchronous: 2n }]);
  expect(await prisma.$queryRaw`PRAGMA journal_mode`).toEqual([{ journal_mode: 'wal' }]);
  expect(await prisma.$queryRaw`PRAGMA foreign_keys`).toEqual([{ foreign_keys: 1n }]);
  await prisma.$disconnect();
});

it('writes the ledger as Prisma Migrate does', async () => {
  const before = Date.now();
  const first = await openSqlite(path);
  await first.close();
  const migrations = readMigrations('sqlite');
  expect(first.appliedMigrations).toEqual(migrations.map(({ name }) => name));

  const database = new Sqlite(path, { readonly: true });
  const columns = database.pragma('table_info(_prisma_migrations)');
  expect(columns).toMatchObject([
    { name: 'id', type: 'TEXT', notnull: 1, pk: 1 },
    { name: 'checksum', type: 'TEXT', notnull: 1 },
    { name: 'finished_at', type: 'DATETIME', notnull: 0 },
    { name: 'migration_name', type: 'TEXT', notnull: 1 },
    { name: 'logs', type: 'TEXT', notnull: 0 },
    { name: 'rolled_back_at', type: 'DATETIME', notnull: 0 },
    { name: 'started_at', type: 'DATETIME', notnull: 1, dflt_value: 'current_timestamp' },
    { name: 'applied_steps_count', type: 'INTEGER UNSIGNED', notnull: 1, dflt_value: '0' },
  ]);
  const rows = database.prepare<[], Record<string, unknown>>('SELECT * FROM _prisma_migrations').all();
  database.close();
  expect(rows).toEqual(
    migrations.map(({ name }) => ({
      id: expect.stringMatching(/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/),
      checksum: checksumOf(name),
      finished_at: expect.any(Number),
      migration_name: name,
      logs: null,
      rolled_back_at: null,
      started_at: expect.any(Number),
      applied_steps_count: 1,
    })),
  );
  for (const { started_at, finished_at } of rows) {
    expect(Number(started_at)).toBeGreaterThanOrEqual(before);
    expect(Number(finished_at)).toBeGreaterThanOrEqual(Number(started_at));
  }
});

it('applies nothing twice', async () => {
  await (await openSqlite(path)).close();
  const again = await openSqlite(path);
  expect(again.appliedMigrations).toEqual([]);
  await again.close();
});

it("refuses another program's database, and leaves it as it is", async () => {
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

it('refuses a database of a newer version, and leaves it as it is', async () => {
  await (await openSqlite(path)).close();
  const database = new Sqlite(path);
  database.exec(`UPDATE _prisma_migrations SET migration_name = '99990101000000_later'`);
  await expect(openSqlite(path)).rejects.toThrow('which this version does not know');
  expect(database.prepare('SELECT count(*) FROM _prisma_migrations').pluck().get()).toBe(1);
  database.close();
});

function checksumOf(migration: string): string {
  const file = new URL(`../../../prisma/sqlite/migrations/${migration}/migration.sql`, import.meta.url);
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
