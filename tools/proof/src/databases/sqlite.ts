import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { type Columns, type Database, type DatabaseServer, toRow } from './database.js';

/** Databases in files of a folder. */
export function createSqliteServer(folder: string): DatabaseServer {
  return {
    engine: 'sqlite',
    createDatabase: async () => openSqliteDatabase(join(folder, `${randomUUID()}.db`)),
    stop: async () => undefined,
  };
}

/** The database in a file, which need not exist yet. */
export function openSqliteDatabase(path: string): Database {
  return {
    engine: 'sqlite',
    url: `file:${path}`,
    readRows: async (ids) => readRows(path, ids),
    async findDamage() {
      const found = withFile(path, (file) => file.pragma('integrity_check')) as { integrity_check: string }[];
      return found.map(({ integrity_check: text }) => text).filter((text) => text !== 'ok');
    },
  };
}

function readRows(path: string, ids?: readonly bigint[]) {
  return withFile(path, (file) => {
    const select = (condition: string) =>
      file.prepare<bigint[], Columns>(`SELECT * FROM plants ${condition}`).safeIntegers();
    if (ids === undefined) return select('').all().map(toRow);
    const byId = select('WHERE id = ?');
    return ids.flatMap((id) => byId.all(id).map(toRow));
  });
}

function withFile<Result>(path: string, read: (file: Sqlite.Database) => Result): Result {
  const file = new Sqlite(path, { readonly: true, fileMustExist: true });
  try {
    return read(file);
  } finally {
    file.close();
  }
}
