import type { Database, DatabaseLog } from './database.js';
import type { DatabaseLocation } from './database-location.js';
import { cacheDebugEnabled } from './fast-path/cache-debug-enabled.js';
import { processWarnings } from './process-warnings.js';

/**
 * Opens the database that the configuration names, creating and migrating it as needed. Only the engine that is used is
 * loaded.
 *
 * @param log where it logs what happens between requests; without one its warnings go to standard error
 * @throws {OperatorError} when it cannot be opened or is not a plant store of this version
 */
export async function openDatabase(
  location: DatabaseLocation,
  log: DatabaseLog = processWarnings,
): Promise<Database> {
  cacheDebugEnabled();
  switch (location.engine) {
    case 'sqlite': {
      const { openSqlite } = await import('./sqlite/open-sqlite.js');
      return openSqlite(location.path, log);
    }
    case 'postgresql': {
      const { openPostgresql } = await import('./postgresql/open-postgresql.js');
      return openPostgresql(location);
    }
  }
}
