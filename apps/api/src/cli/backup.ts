import { resolve } from 'node:path';
import type { Config } from '../config.js';
import { OperatorError } from '../errors/operator-error.js';
import type { DatabaseLocation, SqliteLocation } from '../store/database-location.js';
import { writeAtomically } from './atomic-write.js';
import { abortOnSignal, type CliContext } from './cli-context.js';
import { countOf } from './progress.js';

/** Copies a SQLite database to a new file while services use it, and checks the copy. */
export async function backUp({ database }: Config, file: string, context: CliContext): Promise<void> {
  const source = await requireBackupSource(database);
  const signal = abortOnSignal(context);
  const path = resolve(context.folder, file);
  const count = await writeAtomically(path, (temporaryPath) => backUpDatabase(source, temporaryPath, signal));
  await context.message(`${countOf(count, 'plant')} copied to ${path}, and the copy checked.`);
}

/**
 * Checks that a database can be copied to a file, before one is created for the copy.
 *
 * @returns its location
 * @throws {OperatorError} when the engine has its own tool for that, or the database does not exist
 */
async function requireBackupSource(location: DatabaseLocation): Promise<SqliteLocation> {
  if (location.engine !== 'sqlite') {
    throw new OperatorError('Only a SQLite database is copied by this command. Use pg_dump for PostgreSQL.');
  }
  const { requireDatabaseFile } = await import('../store/sqlite/database-file.js');
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
async function backUpDatabase(
  { path }: SqliteLocation,
  copyPath: string,
  signal: AbortSignal,
): Promise<number> {
  const { copySqlite } = await import('../store/sqlite/copy-sqlite.js');
  return copySqlite(path, copyPath, signal);
}
