import type { Database, OpenOptions } from './database.js';
import type { DatabaseLocation } from './database-location.js';

/**
 * Opens the configured database, and migrates it as needed. Only the code of its engine is loaded.
 *
 * @throws {OperatorError} when it cannot be opened or is not a plant store of this version
 */
export async function openDatabase(location: DatabaseLocation, options: OpenOptions = {}): Promise<Database> {
  switch (location.engine) {
    case 'sqlite': {
      const { openSqlite } = await import('./sqlite/open-sqlite.js');
      return openSqlite(location.path, options);
    }
    case 'postgresql': {
      const { openPostgresql } = await import('./postgresql/open-postgresql.js');
      return openPostgresql(location, options);
    }
  }
}
