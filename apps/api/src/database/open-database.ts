import type { Database, DatabaseLog } from './database.js';
import type { DatabaseLocation } from './database-location.js';
import { processWarnings } from './process-warnings.js';

/** Options of `openDatabase`. */
export interface OpenOptions {
  /** Receives events between requests; by default warnings and errors go to standard error. */
  readonly log?: DatabaseLog;
  /** For commands that add nothing: a database that is missing is an error, and not created. Default: `false`. */
  readonly mustExist?: boolean;
}

/**
 * Opens the configured database, and migrates it as needed. Only the code of its engine is loaded.
 *
 * @throws {OperatorError} when it cannot be opened or is not a plant store of this version
 */
export async function openDatabase(
  location: DatabaseLocation,
  { log = processWarnings, mustExist = false }: OpenOptions = {},
): Promise<Database> {
  switch (location.engine) {
    case 'sqlite': {
      const { openSqlite } = await import('./sqlite/open-sqlite.js');
      return openSqlite(location.path, log, mustExist);
    }
    case 'postgresql': {
      const { openPostgresql } = await import('./postgresql/open-postgresql.js');
      return openPostgresql(location);
    }
  }
}
