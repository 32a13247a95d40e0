import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates the database file, and the folders above it, accessible to this user only (0600 and 0700). SQLite creates the
 * -wal and -shm files with the same mode. Existing files and folders keep their mode.
 */
export function createDatabaseFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
}
