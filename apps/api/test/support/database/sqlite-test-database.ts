import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { withSqlite } from './open-sqlite-file.js';
import type { TestDatabase } from './test-database.js';

/** Creates an empty SQLite database in a new folder. */
export async function createSqliteTestDatabase(): Promise<TestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-test-'));
  const path = join(folder, 'plant-store.db');
  const connect = <Result>(use: (connection: Sqlite.Database) => Result) => withSqlite(path, use);
  return {
    url: `file:${path}`,
    query: async <Row extends object>(sql: string) =>
      connect((connection) => {
        const statement = connection.prepare<[], Row>(sql);
        if (statement.reader) return statement.all();
        statement.run();
        return [];
      }),
    async beginOutage(kind) {
      const connection = new Sqlite(path);
      connection.exec(kind === 'closed' ? 'BEGIN EXCLUSIVE' : 'BEGIN IMMEDIATE');
      return async () => void connection.close();
    },
    damage: async () =>
      connect((connection) => {
        connection.unsafeMode();
        connection.exec(`PRAGMA writable_schema = ON;
          UPDATE sqlite_schema SET rootpage = 1000000 WHERE name = 'plants';
          PRAGMA schema_version = 1000`);
      }),
    ignoreInserts: async (name) =>
      connect((connection) => {
        connection.exec(`CREATE TRIGGER ignore_inserts BEFORE INSERT ON plants WHEN NEW.name = '${name}'
          BEGIN SELECT RAISE(IGNORE); END`);
      }),
    readEverything: async () =>
      readdirSync(folder)
        .map((file) => readFileSync(join(folder, file), 'latin1'))
        .join(''),
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
}
