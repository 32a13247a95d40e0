import { closeSync, fsyncSync, openSync } from 'node:fs';

/**
 * Syncs a file, or a folder with the names in it, to disk. A process that is killed between writing a commit to the
 * write-ahead log and syncing it leaves one that others read from the cache of the system, and that a power cut takes away.
 *
 * @param path not of the database file or `-shm`: closing those would give up SQLite's locks on them
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
