import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { OperatorError } from '../../errors/operator-error.js';
import { explainFailure } from './errors.js';

/**
 * Checks that a database exists, for callers that add nothing to it and must not create one.
 *
 * @throws {OperatorError} when the file does not exist, is empty, or cannot be reached
 */
export function requireDatabaseFile(path: string): void {
  // SQLite writes the header of a new database before a plant can be stored.
  if (readSize(path)) return;
  throw new OperatorError(`There is no database ${path}. Set DATABASE_URL to that of a plant store.`);
}

function readSize(path: string): number | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size;
  } catch (error) {
    throw new OperatorError(explainFailure(error, path), { cause: error });
  }
}

/**
 * Creates the database file, and the folders above it, accessible to this user only (0600 and 0700). SQLite creates the
 * -wal and -shm files with the same mode. Existing files and folders keep their mode.
 */
export function createDatabaseFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
}

/**
 * Syncs a file, or a folder with its entries, to disk. A process that is killed between writing a commit to the
 * write-ahead log and syncing it leaves a commit that others read from the page cache, and that a power failure erases.
 *
 * @param path must not be the database file or `-shm`: closing these would release SQLite's locks on them
 * (https://www.sqlite.org/howtocorrupt.html, section 2.2)
 */
export function syncToDisk(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
