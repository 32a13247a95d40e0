import { join } from 'node:path';
import Database from 'better-sqlite3';
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

/** Goes back to before plants had a history. */
export const withoutHistory = `
  DROP TABLE plants_history;
  DELETE FROM _prisma_migrations WHERE migration_name = '20261204000000_create_plants_history'`;

/** Goes back to the version before stores had ids. */
export const withoutStore = `
  ${withoutHistory};
  DROP TABLE store;
  DELETE FROM _prisma_migrations WHERE migration_name = '20261202000000_create_store'`;

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
