import Database from 'better-sqlite3';

/**
 * The settings of the service's connections. A commit returns after it is on disk. Without `synchronous`, this build of SQLite would sync
 * the write-ahead log only at checkpoints.
 */
export const durablePragmas = 'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON;';

/** Opens the SQLite file at a `file:` URL with the service's durability, and creates the table. */
export function openDurableSqlite(databaseUrl: string): Database.Database {
  const database = new Database(databaseUrl.replace('file:', ''));
  database.exec(durablePragmas);
  database.exec(
    'CREATE TABLE IF NOT EXISTS plants (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, tag TEXT) STRICT',
  );
  return database;
}
