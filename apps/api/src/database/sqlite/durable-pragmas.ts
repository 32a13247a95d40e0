/**
 * Every connection commits to disk before it answers: `synchronous = FULL` syncs the write-ahead log at each commit,
 * and `fullfsync` makes macOS sync the disk's own cache too (elsewhere it changes nothing). The log is moved into the
 * database by the checkpointer; the limit in pages only holds should that fail. Ids being random, a larger cache, here
 * in KiB, would hardly ever hold the page that a plant goes to.
 */
export const durablePragmas = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA fullfsync = ON;
  PRAGMA wal_autocheckpoint = 32000;
  PRAGMA cache_size = -8000;
  PRAGMA foreign_keys = ON;`;
