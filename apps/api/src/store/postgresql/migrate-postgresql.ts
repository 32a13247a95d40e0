import type { ClientBase } from 'pg';
import { OperatorError } from '../../errors/operator-error.js';
import { retry } from '../../runtime/timing.js';
import { applyPending, findPending, type Ledger, type Migration } from '../migrations.js';
import { findDriverError } from './errors.js';

/** The advisory lock of Prisma Migrate, so that its migrations and those of the service never run at the same time. */
const migrationLock = 72_707_369;

/** How long an instance waits for another one that is migrating, in milliseconds. */
export const migrationTimeoutMs = 60_000;

/**
 * How long a migration waits for a lock on a table, in milliseconds. While it waits, for example for a dump, every later statement on that
 * table waits behind it, including those of running instances.
 */
const lockTimeoutMs = 500;

/** The delay before the migration tries again, in milliseconds, so that the statements that waited behind it can run. */
const retryDelayMs = 1_000;

/**
 * Applies the pending migrations, all or none. Instances that start concurrently wait for each other. If another program has locked a
 * table, the migration is retried for a minute.
 *
 * @param schema the schema of the tables, which is created as needed
 * @throws {OperatorError} if the schema belongs to another program, the ledger does not match this version (see `findPendingMigrations`),
 * or a table stays locked
 */
export async function migratePostgresql(
  connection: ClientBase,
  schema: string,
  migrations: readonly Migration[],
): Promise<readonly string[]> {
  await checkSchema(connection, schema);
  // Without pending migrations, there is no need to wait for a lock.
  if ((await findPending(ledgerOfPostgresql(connection, schema), migrations)).length === 0) return [];

  return changeTables(connection, async () => {
    await createSchema(connection, schema);
    await checkSchema(connection, schema);
    return applyPending(ledgerOfPostgresql(connection, schema), migrations);
  });
}

/**
 * Runs a schema change in one transaction, while no other instance changes the schema. The change is retried for a minute while another
 * program has locked a table.
 *
 * @throws {OperatorError} if a table stays locked
 */
export async function changeTables<Result>(
  connection: ClientBase,
  change: () => Promise<Result>,
): Promise<Result> {
  const policy = { timeoutMs: migrationTimeoutMs, delayMs: retryDelayMs };
  try {
    return await retry(() => changeOnce(connection, change), isLockTimeout, policy);
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    throw new OperatorError(
      `The database cannot be migrated: another program has locked a table for ${migrationTimeoutMs / 1_000} seconds. In pg_stat_activity, look for a dump or an open transaction. Try again once it has ended.`,
      { cause: error },
    );
  }
}

async function changeOnce<Result>(connection: ClientBase, change: () => Promise<Result>): Promise<Result> {
  await connection.query(`BEGIN; SET LOCAL statement_timeout = ${migrationTimeoutMs}`);
  try {
    await connection.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
    await connection.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
    const result = await change();
    await connection.query('COMMIT');
    return result;
  } catch (error) {
    // If the connection is broken, the server rolls back automatically.
    await connection.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** Whether a statement waited too long for a lock: SQLSTATE `lock_not_available`. */
function isLockTimeout(error: unknown): boolean {
  return findDriverError(error)?.code === '55P03';
}

/**
 * Checks that unqualified names, which all statements use, refer to the configured schema if it exists.
 *
 * @throws {OperatorError} if they refer to another schema
 */
export async function checkSchema(connection: ClientBase, schema: string): Promise<void> {
  const { rows } = await connection.query<{ current: string | null; exists: boolean }>(
    `SELECT current_schema() AS current,
       EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = $1) AS exists`,
    [schema],
  );
  const [found] = rows;
  if (found === undefined || !found.exists || found.current === schema) return;
  const actual = found.current === null ? 'nowhere' : `in the schema "${found.current}"`;
  throw new OperatorError(
    `The database cannot be used: its tables would be ${actual}, not in "${schema}". If a pooler drops the search_path that the service sends, set it for the user: ALTER ROLE … SET search_path = ${schema}. If the user cannot use the schema, run GRANT USAGE ON SCHEMA ${schema} TO ….`,
  );
}

/** Creates the schema if it is missing. `IF NOT EXISTS` would require the privilege to create schemas even if the schema exists. */
async function createSchema(connection: ClientBase, schema: string): Promise<void> {
  const { rows } = await connection.query('SELECT nspname FROM pg_catalog.pg_namespace WHERE nspname = $1', [
    schema,
  ]);
  if (rows.length === 0) await connection.query(`CREATE SCHEMA ${connection.escapeIdentifier(schema)}`);
}

export function ledgerOfPostgresql(connection: ClientBase, schema: string): Ledger {
  return {
    run: (script) => connection.query(script),
    query: async (text) => (await connection.query({ text, rowMode: 'array' })).rows,
    tablesSql: `SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = ${connection.escapeLiteral(schema)}`,
    createSql: createLedgerSql,
    timeSql: (time) => `'${time.toISOString()}'`,
    foreignMessage: `The database cannot be used: its schema "${schema}" belongs to another program. Set DATABASE_URL to a new database, \
a new schema (?schema=…), or an existing plant store.`,
  };
}

/** Creates the ledger as Prisma Migrate does. */
const createLedgerSql = `
  CREATE TABLE _prisma_migrations (
    id                      VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum                VARCHAR(64) NOT NULL,
    finished_at             TIMESTAMPTZ,
    migration_name          VARCHAR(255) NOT NULL,
    logs                    TEXT,
    rolled_back_at          TIMESTAMPTZ,
    started_at              TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count     INTEGER NOT NULL DEFAULT 0
  )`;
