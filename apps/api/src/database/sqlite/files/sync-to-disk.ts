import { closeSync, fsyncSync, openSync } from 'node:fs';

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
