import { OperatorError } from '../errors/operator-error.js';
import type { DatabaseLocation } from './database-location.js';

/**
 * Copies a database to a file while others read and write it, and checks the copy.
 *
 * @param copyPath an empty file; the caller syncs it to disk
 * @param signal aborts the copy
 * @returns how many plants the copy has
 * @throws {OperatorError} when the engine has its own tool for that, the database does not exist, or it cannot be
 * copied
 */
export async function backUpDatabase(
  location: DatabaseLocation,
  copyPath: string,
  signal: AbortSignal,
): Promise<number> {
  requireFileBackup(location);
  const { requireDatabaseFile } = await import('./sqlite/files/require-database-file.js');
  requireDatabaseFile(location.path);
  const { copySqlite } = await import('./sqlite/files/copy-sqlite.js');
  return copySqlite(location.path, copyPath, signal);
}

/** @throws {OperatorError} when the engine does not store a database in a file */
function requireFileBackup(
  location: DatabaseLocation,
): asserts location is Extract<DatabaseLocation, { engine: 'sqlite' }> {
  if (location.engine === 'sqlite') return;
  throw new OperatorError('Only a SQLite database is copied by this command. Use pg_dump for PostgreSQL.');
}
