import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { TestDatabase } from './test-database.js';

/** Creates an empty SQLite database in a new folder. */
export async function createSqliteTestDatabase(): Promise<TestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-test-'));
  const path = join(folder, 'plant-store.db');
  return {
    url: `file:${path}`,
    async query<Row extends object>(sql: string) {
      const connection = new Sqlite(path);
      try {
        const statement = connection.prepare<[], Row>(sql);
        if (statement.reader) return statement.all();
        statement.run();
        return [];
      } finally {
        connection.close();
      }
    },
    async beginOutage(kind) {
      const connection = new Sqlite(path);
      connection.exec(kind === 'closed' ? 'BEGIN EXCLUSIVE' : 'BEGIN IMMEDIATE');
      return async () => void connection.close();
    },
    async damage() {
      const connection = new Sqlite(path);
      connection.unsafeMode();
      connection.exec(`
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET rootpage = 1000000 WHERE name = 'plants';
        PRAGMA schema_version = 1000`);
      connection.close();
    },
    async ignoreInserts(name) {
      const connection = new Sqlite(path);
      connection.exec(`
        CREATE TRIGGER ignore_inserts BEFORE INSERT ON plants WHEN NEW.name = '${name}'
        BEGIN SELECT RAISE(IGNORE); END`);
      connection.close();
    },
    async readEverything() {
      return readdirSync(folder)
        .map((file) => readFileSync(join(folder, file), 'latin1'))
        .join('');
    },
    async remove() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
