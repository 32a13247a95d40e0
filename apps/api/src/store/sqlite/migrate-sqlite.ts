import { randomUUID } from 'node:crypto';
import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import { OperatorError } from '../../errors/operator-error.js';
import type { Migration } from '../migrations.js';
import { findPendingMigrations, type LedgerRow } from '../migrations.js';
import { integer, text } from '../queries.js';
import { durablePragmas } from './connections.js';

/**
 * Applies the pending migrations, all or none, and records them in Prisma Migrate's ledger, so that `prisma migrate
 * deploy` and `status` work, too. When it fails, the caller closes the connection, which rolls back.
 *
 * @returns the names of the migrations applied, in order
 * @throws {OperatorError} when the database belongs to another program, or the ledger does not match this version; see
 * `findPendingMigrations`
 */
export async function migrateSqlite(
  connection: SqlDriverAdapter,
  migrations: readonly Migration[],
): Promise<readonly string[]> {
  // With nothing to apply, there is no need to wait for a lock.
  const ledger = await readLedger(connection);
  if (ledger !== undefined && findPendingMigrations(migrations, ledger).length === 0) return [];

  await connection.executeScript(durablePragmas);
  await connection.executeScript('BEGIN IMMEDIATE');
  if ((await readLedger(connection)) === undefined) await connection.executeScript(createLedger);
  const pending = findPendingMigrations(migrations, (await readLedger(connection)) ?? []);
  for (const migration of pending) await apply(connection, migration);
  await connection.executeScript('COMMIT');
  return pending.map(({ name }) => name);
}

/** The table as Prisma Migrate creates it on SQLite; times are milliseconds since the epoch. */
const createLedger = `
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

/**
 * The rows of the ledger; `undefined` for a new and empty database.
 *
 * @throws {OperatorError} when the database belongs to another program
 */
export async function readLedger(connection: SqlDriverAdapter): Promise<readonly LedgerRow[] | undefined> {
  const tables = await query(connection, `SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'`);
  if (tables.length === 0) return undefined;
  if (!tables.some(([name]) => name === '_prisma_migrations')) {
    throw new OperatorError(
      'The database cannot be used: it belongs to another program. Set DATABASE_URL to a new file, or that of a plant store.',
    );
  }
  const rows = await query(
    connection,
    `SELECT migration_name, checksum, finished_at IS NOT NULL, rolled_back_at IS NOT NULL
     FROM "_prisma_migrations" ORDER BY started_at`,
  );
  return rows.map(([migrationName, checksum, finished, rolledBack]) => ({
    migrationName: String(migrationName),
    checksum: String(checksum),
    finished: Boolean(finished),
    rolledBack: Boolean(rolledBack),
  }));
}

async function query(connection: SqlDriverAdapter, sql: string): Promise<unknown[][]> {
  const { rows } = await connection.queryRaw({ sql, args: [], argTypes: [] });
  return rows;
}

async function apply(connection: SqlDriverAdapter, { name, sql, checksum }: Migration): Promise<void> {
  const startedAt = Date.now();
  await connection.executeScript(sql);
  await connection.executeRaw({
    sql: `INSERT INTO "_prisma_migrations"
            (id, checksum, migration_name, started_at, finished_at, applied_steps_count) VALUES (?, ?, ?, ?, ?, 1)`,
    args: [randomUUID(), checksum, name, BigInt(startedAt), BigInt(Date.now())],
    argTypes: [text, text, text, integer, integer],
  });
}
