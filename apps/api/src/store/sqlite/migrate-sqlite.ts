import type Sqlite from 'better-sqlite3';
import { applyPending, findPending, type Ledger, type Migration } from '../migrations.js';
import { durablePragmas } from './connections.js';

/**
 * Applies the pending migrations, all or none. After a failure, the caller closes the connection, which rolls back.
 *
 * @throws {OperatorError} if the database belongs to another program, or the ledger does not match this version; see
 * `findPendingMigrations`
 */
export async function migrateSqlite(
  connection: Sqlite.Database,
  migrations: readonly Migration[],
): Promise<readonly string[]> {
  const ledger = ledgerOfSqlite(connection);
  // Without pending migrations, there is no need to wait for a lock.
  if ((await findPending(ledger, migrations)).length === 0) return [];

  connection.exec(`${durablePragmas} BEGIN IMMEDIATE`);
  const applied = await applyPending(ledger, migrations);
  connection.exec('COMMIT');
  return applied;
}

export function ledgerOfSqlite(connection: Sqlite.Database): Ledger {
  return {
    run: async (script) => connection.exec(script),
    query: async (sql) => connection.prepare<[], unknown[]>(sql).raw().all(),
    tablesSql: `SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'`,
    createSql: createLedgerSql,
    timeSql: (time) => String(time.getTime()),
    foreignMessage:
      'The database cannot be used: it belongs to another program. Set DATABASE_URL to a new file or to an existing Plant Store database.',
  };
}

/** Creates the ledger as Prisma Migrate does. Times are in milliseconds since the epoch. */
export const createLedgerSql = `
  CREATE TABLE "_prisma_migrations" (
    "id"                    TEXT PRIMARY KEY NOT NULL,
    "checksum"              TEXT NOT NULL,
    "finished_at"           DATETIME,
    "migration_name"        TEXT NOT NULL,
    "logs"                  TEXT,
    "rolled_back_at"        DATETIME,
    "started_at"            DATETIME NOT NULL DEFAULT current_timestamp,
    "applied_steps_count"   INTEGER UNSIGNED NOT NULL DEFAULT 0
  )`;
