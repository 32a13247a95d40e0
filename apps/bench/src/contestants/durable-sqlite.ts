import Database from 'better-sqlite3';

/**
 * What the service asks of its own connections: a commit is on disk before it returns. Without `synchronous`, this
 * build of SQLite would sync a write-ahead log only at checkpoints.
 */
export const durablePragmas = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA fullfsync = ON;`;

/** Opens a SQLite file for a peer: as durable as the service, with the same table. */
export function openDurableSqlite(path: string): Database.Database {
  const database = new Database(path);
  database.exec(durablePragmas);
  database.exec(createPlantsTable);
  return database;
}

const createPlantsTable = `
  CREATE TABLE IF NOT EXISTS plants (
    id INTEGER NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    tag TEXT
  ) STRICT;`;
