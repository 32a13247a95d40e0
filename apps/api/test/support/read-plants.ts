import type { TestDatabase } from './database/test-database.js';

/** A row of the table `plants`, with the id as text to keep it exact. */
export interface StoredRow {
  readonly id: string;
  readonly name: string;
  readonly tag: string | null;
}

/** Reads all committed plants of a service, sorted by id. */
export function readPlants({ database }: { readonly database: TestDatabase }): Promise<readonly StoredRow[]> {
  return database.query('SELECT CAST(id AS TEXT) AS id, name, tag FROM plants ORDER BY plants.id');
}
