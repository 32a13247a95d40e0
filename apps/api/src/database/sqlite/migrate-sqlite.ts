import { randomUUID } from 'node:crypto';
import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import { findPendingMigrations, type LedgerRow } from '../migration-ledger.js';
import type { Migration } from '../migrations.js';

/**
 * Applies the pending migrations, all or none, and notes them in Prisma Migrate's ledger, so that `prisma migrate
 * deploy` and `status` agree with it. Processes that start together wait for one another.
 *
 * @returns the names of the migrations applied, in order
 * @throws {OperatorError} when the ledger and this version do not agree; see `findPendingMigrations`
 */
export async function migrateSqlite(
  connection: SqlDriverAdapter,
  migrations: readonly Migration[],
): Promise<readonly string[]> {
  await connection.executeScript('BEGIN IMMEDIATE');
  try {
    await connection.executeScript(createLedger);
    const pending = findPendingMigrations(migrations, await readLedger(connection));
    for (const migration of pending) await apply(connection, migration);
    await connection.executeScript('COMMIT');
    return pending.map(({ name }) => name);
  } catch (error) {
    await connection.executeScript('ROLLBACK');
    throw error;
  }
}

/** The table as Prisma Migrate creates it on SQLite; times are milliseconds since the epoch. */
const createLedger = `
  CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
    "id"                    TEXT PRIMARY KEY NOT NULL,
    "checksum"              TEXT NOT NULL,
    "finished_at"           DATETIME,
    "migration_name"        TEXT NOT NULL,
    "logs"                  TEXT,
    "rolled_back_at"        DATETIME,
    "started_at"            DATETIME NOT NULL DEFAULT current_timestamp,
    "applied_steps_count"   INTEGER UNSIGNED NOT NULL DEFAULT 0
  )`;

async function readLedger(connection: SqlDriverAdapter): Promise<readonly LedgerRow[]> {
  const { rows } = await connection.queryRaw({
    sql: `SELECT migration_name, checksum, finished_at IS NOT NULL, rolled_back_at IS NOT NULL
          FROM "_prisma_migrations" ORDER BY started_at`,
    args: [],
    argTypes: [],
  });
  return rows.map(([migrationName, checksum, finished, rolledBack]) => ({
    migrationName: String(migrationName),
    checksum: String(checksum),
    finished: Boolean(finished),
    rolledBack: Boolean(rolledBack),
  }));
}

async function apply(connection: SqlDriverAdapter, { name, sql, checksum }: Migration): Promise<void> {
  const startedAt = Date.now();
  await connection.executeScript(sql);
  const text = { scalarType: 'string', arity: 'scalar' } as const;
  const integer = { scalarType: 'bigint', arity: 'scalar' } as const;
  await connection.executeRaw({
    sql: `INSERT INTO "_prisma_migrations"
            (id, checksum, migration_name, started_at, finished_at, applied_steps_count) VALUES (?, ?, ?, ?, ?, 1)`,
    args: [randomUUID(), checksum, name, BigInt(startedAt), BigInt(Date.now())],
    argTypes: [text, text, text, integer, integer],
  });
}
