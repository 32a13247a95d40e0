import { OperatorError } from '../errors/operator-error.js';
import type { DatabaseLocation, SqliteLocation } from './database-location.js';

/**
 * Checks that a database can be copied to a file, before one is created for the copy.
 *
 * @returns its location
 * @throws {OperatorError} when the engine has its own tool for that, or the database does not exist
 */
export async function requireBackupSource(location: DatabaseLocation): Promise<SqliteLocation> {
  if (location.engine !== 'sqlite') {
    throw new OperatorError('Only a SQLite database is copied by this command. Use pg_dump for PostgreSQL.');
  }
  const { requireDatabaseFile } = await import('./sqlite/files/require-database-file.js');
  requireDatabaseFile(location.path);
  return location;
}

/**
 * Copies a database to a file while others read and write it, and checks the copy.
 *
 * @param copyPath an empty file; the caller syncs it to disk
 * @param signal aborts the copy
 * @returns how many plants the copy has
 * @throws {OperatorError} when it cannot be copied
 */
export async function backUpDatabase(
  { path }: SqliteLocation,
  copyPath: string,
  signal: AbortSignal,
): Promise<number> {
  const { copySqlite } = await import('./sqlite/files/copy-sqlite.js');
  return copySqlite(path, copyPath, signal);
}
