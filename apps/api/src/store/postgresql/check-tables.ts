import type { ClientBase } from 'pg';
import { OperatorError } from '../../errors/operator-error.js';
import { allTables, type Table } from '../table.js';
import { findDriverError } from './errors.js';
import { createInsert } from './postgresql-store.js';
import { confirmDurableSql } from './probe-commit.js';

/** How long the check waits for a table that another program has locked, in milliseconds. */
const lockTimeoutMs = 200;

/** Selects whether the table and all its partitions survive a crash and are replicated to a standby, and whether IDs are unique. */
const describeTable = `
  SELECT relpersistence = 'p' AND NOT EXISTS (
    SELECT FROM pg_catalog.pg_inherits JOIN pg_catalog.pg_class part ON part.oid = inhrelid
    WHERE inhparent = pg_class.oid AND part.relpersistence <> 'p'
  ) AS "isLogged", EXISTS (
    SELECT FROM pg_catalog.pg_index
    WHERE indrelid = pg_class.oid AND indisunique AND indimmediate AND indisvalid AND indpred IS NULL
      AND indnkeyatts = 1 AND indkey[0] = (
        SELECT attnum FROM pg_catalog.pg_attribute WHERE attrelid = pg_class.oid AND attname = 'id'
      )
  ) AS "hasKey"
  FROM pg_catalog.pg_class WHERE oid = to_regclass($1)`;

/**
 * Checks that records can be stored and acknowledged: a table may have been changed since the migrations in the ledger were applied, or the
 * user may lack a privilege. The check stores nothing, and does not wait long for a locked table.
 *
 * @throws {OperatorError} that says what is wrong with which table, or which privilege is missing
 */
export async function checkTables(
  connection: ClientBase,
  tables: readonly Table[] = allTables,
): Promise<void> {
  for (const table of tables) await checkTable(connection, table);
  await checkConfirmPrivilege(connection);
  await checkPrivileges(connection, 'audit', ['SELECT', 'INSERT'], 'token changes are recorded');
  for (const { states } of tables)
    await checkPrivileges(
      connection,
      states,
      ['SELECT', 'INSERT', 'DELETE'],
      'updates keep the previous states',
    );
  for (const table of tables) await checkInsert(connection, table);
}

async function checkTable(connection: ClientBase, { name }: Table): Promise<void> {
  const { rows } = await connection.query<{ isLogged: boolean; hasKey: boolean }>(describeTable, [name]);
  const [table] = rows;
  if (table === undefined) throw unusable(name, 'it does not exist');
  if (!table.hasKey)
    throw unusable(name, 'its id column has no primary key or other unique index that ON CONFLICT can use');
  if (!table.isLogged) throw unusable(name, 'it is unlogged, so a crash empties it');
}

async function checkInsert(connection: ClientBase, table: Table): Promise<void> {
  await connection.query(`BEGIN; SET LOCAL lock_timeout = ${lockTimeoutMs}`);
  try {
    // This plans the insert and checks its privileges, but does not run it.
    const { sql, args = [] } = createInsert(table)([], 0);
    await connection.query(`EXPLAIN ${sql}`, [...args]);
  } catch (error) {
    const serverError = findDriverError(error);
    if (serverError === undefined) throw error;
    const { code = '', message } = serverError;
    // A locked table is no problem: another program held its lock for too long, or the server cancelled the statement.
    const isLocked = ['55P03', '57014'].includes(code);
    if (!isLocked) throw unusable(table.name, `${message} (${code})`, error);
  } finally {
    await connection.query('ROLLBACK').catch(() => undefined);
  }
}

/** Checks the privilege for `confirmDurableSql`, which a retried create needs besides SELECT. `EXPLAIN` does not run the statement. */
async function checkConfirmPrivilege(connection: ClientBase): Promise<void> {
  try {
    await connection.query(`EXPLAIN ${confirmDurableSql}`);
  } catch (error) {
    if (findDriverError(error)?.code !== '42501') throw error;
    throw new OperatorError(
      'The database cannot be used: its user cannot call pg_logical_emit_message, which the service needs for retried creates. GRANT EXECUTE on the text variant of this function to the user. PostgreSQL grants it to all users by default.',
      { cause: error },
    );
  }
}

async function checkPrivileges(
  connection: ClientBase,
  table: string,
  privileges: readonly string[],
  purpose: string,
): Promise<void> {
  const areGranted = privileges.map((privilege) => `has_table_privilege(table_oid, '${privilege}')`);
  const { rows } = await connection.query<{ allowed: boolean | null }>(
    `SELECT ${areGranted.join(' AND ')} AS allowed FROM (SELECT to_regclass($1)::oid AS table_oid) AS found`,
    [table],
  );
  if (rows[0]?.allowed === null) throw unusable(table, 'it does not exist');
  if (rows[0]?.allowed) return;
  const last = privileges.at(-1);
  throw new OperatorError(
    `The database cannot be used: its user does not have permission to ${privileges.slice(0, -1).join(', ')} and ${last} ${table}, where ${purpose}. GRANT ${privileges.join(', ')} ON ${table} to the user.`,
  );
}

function unusable(table: string, reason: string, cause?: unknown): OperatorError {
  return new OperatorError(
    `The database cannot be used: its table ${table} does not match this version: ${reason}. Restore the table as the migrations created it, and GRANT SELECT and INSERT on it to the user.`,
    { cause },
  );
}
