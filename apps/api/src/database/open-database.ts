import type { DatabaseLocation } from '../config.js';
import type { Database } from './database.js';
import { openSqlite } from './sqlite/open-sqlite.js';

/**
 * Opens the database that the configuration names, creating and migrating it as needed.
 *
 * @throws {OperatorError} when it cannot be opened or is not a plant store of this version
 */
export function openDatabase(location: DatabaseLocation): Promise<Database> {
  switch (location.engine) {
    case 'sqlite':
      return openSqlite(location.path);
  }
}
