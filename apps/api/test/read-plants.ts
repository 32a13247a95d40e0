import { join } from 'node:path';
import Database from 'better-sqlite3';

/** A row of the table `plants`; the id as text, so that it is exact. */
export interface PlantRow {
  readonly id: string;
  readonly name: string;
  readonly tag: string | null;
}

/** All plants in the database of a service, by id, as another program sees them: what is there is committed. */
export function readPlants({ folder }: { readonly folder: string }): readonly PlantRow[] {
  const database = new Database(join(folder, 'plant-store.db'), { readonly: true });
  try {
    return database
      .prepare<[], PlantRow>('SELECT CAST(id AS TEXT) AS id, name, tag FROM plants ORDER BY plants.id')
      .all();
  } finally {
    database.close();
  }
}
