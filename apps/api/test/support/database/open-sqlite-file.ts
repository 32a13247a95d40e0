import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import type { OpenOptions } from '../../../src/store/database.js';
import { openSqlite } from '../../../src/store/sqlite/open-sqlite.js';
import { temporaryFolder } from '../temporary-folder.js';

/** Opens a new SQLite database in a new folder, until the end of the test. */
export async function openSqliteFile(options: OpenOptions = {}) {
  const folder = join(realpathSync(temporaryFolder()), 'data');
  const path = join(folder, 'plant-store.db');
  const database = await openSqlite(path, options);
  onTestFinished(() => database.close());
  return { folder, path, database, store: database.stores.plant };
}

/** Does something on a connection to a SQLite file, as another program does. */
export function withSqlite<Result>(
  path: string,
  use: (connection: Sqlite.Database) => Result,
  options: Sqlite.Options = {},
): Result {
  const connection = new Sqlite(path, options);
  try {
    return use(connection);
  } finally {
    connection.close();
  }
}

/** Connects to a SQLite file as another program does, until the end of the test. */
export function connectToSqlite(path: string, options: Sqlite.Options = {}): Sqlite.Database {
  const connection = new Sqlite(path, options);
  onTestFinished(() => void connection.close());
  return connection;
}
