import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { Database, DatabaseEngine } from './database.js';

/** A database in a file. */
export interface SqliteDatabase extends Database {
  readonly path: string;
}

/** SQLite, in the version that the targets use. */
export const sqlite: DatabaseEngine = {
  get title() {
    return `SQLite ${readVersion()}`;
  },
  createDatabase: async (folder) => sqliteIn(folder),
};

/** The SQLite database in a folder; its file need not exist before its target starts. */
export function sqliteIn(folder: string): SqliteDatabase {
  const path = join(folder, 'plants.db');
  return {
    path,
    url: `file:${path}`,
    async countPlants() {
      const database = new Sqlite(path, { fileMustExist: true });
      try {
        return database.prepare<[], number>('SELECT count(*) FROM plants').pluck().get() ?? 0;
      } finally {
        database.close();
      }
    },
    remove: async () => undefined,
  };
}

function readVersion(): string {
  const database = new Sqlite(':memory:');
  try {
    return database.prepare<[], string>('SELECT sqlite_version()').pluck().get() ?? '';
  } finally {
    database.close();
  }
}
