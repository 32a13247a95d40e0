import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates the database file, and the folders above it, for this user alone (0600 and 0700). SQLite gives its
 * companions, the -wal and -shm files, the same mode. What exists already keeps its mode.
 */
export function createDatabaseFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
}
