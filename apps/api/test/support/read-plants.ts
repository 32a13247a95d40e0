import type { TestDatabase } from './database/test-database.js';

/** A row of the table `plants`; the id as text, so that it is exact. */
export interface PlantRow {
  readonly id: string;
  readonly name: string;
  readonly tag: string | null;
}

/** All plants in the database of a service, by id, as another program sees them: what is there is committed. */
export function readPlants({ database }: { readonly database: TestDatabase }): Promise<readonly PlantRow[]> {
  return database.query('SELECT CAST(id AS TEXT) AS id, name, tag FROM plants ORDER BY plants.id');
}
