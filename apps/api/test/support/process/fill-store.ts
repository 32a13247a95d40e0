import { join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { readMigrations } from '../../../src/store/migrations.js';
import { withSqlite } from '../database/open-sqlite-file.js';
import { runInProcess } from './run-in-process.js';

/** A row of the table `plants`. */
export type Row = readonly [id: bigint, name: string, tag: string | null];

/** The path of the default store of a folder. */
export function storePath(folder: string): string {
  return join(folder, 'data/plant-store.db');
}

/** Creates the default store of a folder with these plants, and returns its path. */
export async function fillStore(folder: string, rows: readonly Row[]): Promise<string> {
  await runInProcess(['migrate'], { folder });
  const path = storePath(folder);
  withSqlite(path, (database) => {
    const insert = database.prepare('INSERT INTO plants (id, name, tag) VALUES (?, ?, ?)');
    database.transaction(() => {
      for (const row of rows) insert.run(...row);
    })();
  });
  return path;
}

/** Runs SQL on a database. */
export function execute(path: string, sql: string): void {
  withSqlite(path, (database) => database.exec(sql));
}

/** Reads the first row that a statement finds. */
export function readRow<Row>(path: string, sql: string, options: Sqlite.Options = {}): Row | undefined {
  return withSqlite(path, (database) => database.prepare<[], Row>(sql).get(), options);
}

const plantColumns =
  'id, name, tag, added_at, deleted, original, changed_at, change_place, added_by, changed_by';

/** Goes back to the version before stores had ids, with the table of plants as its migrations create it. */
export const withoutStore = [
  'DROP TABLE plants_history',
  'DROP TABLE audit',
  'DROP TABLE store',
  'CREATE TABLE copied AS SELECT * FROM plants',
  'DROP TABLE plants',
  ...readMigrations('sqlite')
    .filter(({ name }) => name < '20261202')
    .flatMap(({ sql }) => sql.replace(/^--.*/gm, '').split(';'))
    .filter((statement) => statement.includes('"plants"')),
  `INSERT INTO plants (${plantColumns}) SELECT ${plantColumns} FROM copied`,
  'DROP TABLE copied',
  `DELETE FROM _prisma_migrations WHERE migration_name > '20261202'`,
].join(';');

export function readStoreId(path: string): string {
  return String(readRow<{ id: string }>(path, 'SELECT id FROM store')?.id);
}

/** Reads all plants of a store, sorted by id. */
export function readRows(path: string): Row[] {
  const sql = 'SELECT id, name, tag FROM plants ORDER BY id';
  const read = (database: Sqlite.Database) => database.prepare<[], Row>(sql).safeIntegers().raw().all();
  return withSqlite(path, read, { readonly: true });
}

/** Counts the plants in the default store of a folder, which may not exist yet. */
export function countPlants(folder: string): number {
  try {
    const sql = 'SELECT count(*) AS count FROM plants';
    return readRow<{ count: number }>(storePath(folder), sql, { readonly: true })?.count ?? 0;
  } catch {
    // The store does not exist yet.
    return 0;
  }
}
