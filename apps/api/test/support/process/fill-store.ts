import { join } from 'node:path';
import Database from 'better-sqlite3';
import { readMigrations } from '../../../src/store/migrations.js';
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
  const database = new Database(path);
  const insert = database.prepare('INSERT INTO plants (id, name, tag) VALUES (?, ?, ?)');
  database.transaction(() => {
    for (const row of rows) insert.run(...row);
  })();
  database.close();
  return path;
}

/** Runs SQL on a database. */
export function execute(path: string, sql: string): void {
  const database = new Database(path);
  database.exec(sql);
  database.close();
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
  const database = new Database(path);
  const id = database.prepare<[], string>('SELECT id FROM store').pluck().get();
  database.close();
  return String(id);
}

/** Reads all plants of a store, sorted by id. */
export function readRows(path: string): Row[] {
  const database = new Database(path, { readonly: true });
  const rows = database
    .prepare<[], Row>('SELECT id, name, tag FROM plants ORDER BY id')
    .safeIntegers()
    .raw()
    .all();
  database.close();
  return rows;
}

/** Counts the plants in the default store of a folder, which may not exist yet. */
export function countPlants(folder: string): number {
  try {
    const database = new Database(storePath(folder), { readonly: true });
    const count = database.prepare<[], number>('SELECT count(*) FROM plants').pluck().get();
    database.close();
    return count ?? 0;
  } catch {
    // The store does not exist yet.
    return 0;
  }
}
