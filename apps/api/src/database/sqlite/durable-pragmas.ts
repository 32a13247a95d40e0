/**
 * The settings of every connection. `synchronous = FULL` syncs the write-ahead log at each commit, and `fullfsync`
 * makes macOS sync the disk's own cache, too (elsewhere it has no effect). The checkpointer moves the log into the
 * database; `wal_autocheckpoint`, in pages, only applies if it fails. A larger cache than 8,000 KiB would not help:
 * since ids are random, it would hardly ever contain the page of the next plant.
 */
export const durablePragmas = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA fullfsync = ON;
  PRAGMA wal_autocheckpoint = 32000;
  PRAGMA cache_size = -8000;
  PRAGMA foreign_keys = ON;`;
