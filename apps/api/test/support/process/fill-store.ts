import { join } from 'node:path';
import Database from 'better-sqlite3';
import { runCommand } from './run-command.js';

/** A row of the table of plants: id, name and tag. */
export type Row = readonly [id: bigint, name: string, tag: string | null];

/** Creates the store that a command uses by default in a folder, with these plants in it; gives its path. */
export async function fillStore(folder: string, rows: readonly Row[]): Promise<string> {
  await runCommand(['migrate'], { folder });
  const path = join(folder, 'data/plant-store.db');
  const database = new Database(path);
  const insert = database.prepare('INSERT INTO plants (id, name, tag) VALUES (?, ?, ?)');
  database.transaction(() => {
    for (const row of rows) insert.run(...row);
  })();
  database.close();
  return path;
}

/** All plants of a store, in the order of their ids. */
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
