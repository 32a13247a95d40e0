import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fchownSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { OperatorError } from '../../errors/operator-error.js';
import { explainFailure } from './errors.js';

/**
 * Checks that a database exists, for callers that add nothing to it and must not create one.
 *
 * @throws {OperatorError} when the file does not exist, is empty, or cannot be reached
 */
export function requireDatabaseFile(path: string): void {
  try {
    // An empty file stores nothing: SQLite writes the header of a new database before a record can be stored.
    if (statSync(path, { throwIfNoEntry: false })?.size) return;
  } catch (error) {
    throw new OperatorError(explainFailure(error, path), { cause: error });
  }
  throw new OperatorError(
    `The database ${path} does not exist. Set DATABASE_URL to an existing Plant Store database.`,
  );
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
 * Syncs a file, or a folder with its entries, to disk. If a process is killed after it writes a commit to the write-ahead log and before it
 * syncs the log, others read the commit from the page cache, but a power failure erases it.
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

/** Returns the path of the file next to a database that contains the time of its last backup. */
function lastBackupPath(path: string): string {
  return `${path}.last-backup`;
}

/** Records that a complete and checked backup of a database was made just now. */
export function noteBackup(path: string): void {
  // The file is renamed into place, so that readers find the old or the new time. The temporary name is random, because the owner of the
  // folder could place a symbolic link at a known name.
  const temporaryPath = `${lastBackupPath(path)}.${randomUUID()}`;
  const file = openSync(temporaryPath, 'wx', 0o600);
  try {
    const { uid, gid } = statSync(path);
    if (process.geteuid?.() === 0) fchownSync(file, uid, gid);
    writeSync(file, `${new Date().toISOString()}\n`);
    renameSync(temporaryPath, lastBackupPath(path));
  } catch (error) {
    rmSync(temporaryPath, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/**
 * Returns when the last good backup of a database was made, in milliseconds since 1970, or `undefined` if none was recorded. The time is in
 * the future if the clock was wrong then, or is now.
 */
export function readLastBackup(path: string): number | undefined {
  try {
    const time = Date.parse(readFileSync(lastBackupPath(path), 'utf8').trim());
    return Number.isNaN(time) ? undefined : time;
  } catch {
    return undefined;
  }
}

/**
 * Returns the value of `plant_store_last_backup_timestamp_seconds`: 0 for never, and for a time in the future, which would silence the
 * alert.
 */
export function readLastBackupSeconds(path: string): number {
  const time = readLastBackup(path) ?? 0;
  return time > Date.now() ? 0 : time / 1_000;
}
