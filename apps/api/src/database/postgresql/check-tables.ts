import type { ClientBase } from 'pg';
import { OperatorError } from '../../errors/operator-error.js';
import { confirmDurable } from './durable-reading.js';
import { type DriverError, findDriverError } from './errors/driver-error.js';
import { insertPlants } from './postgresql-plant-store.js';

/** How long the check waits for another program that has the table locked, in milliseconds. */
const lockTimeoutMs = 200;

/** Whether an id can be stored once only, and whether the table survives a crash and reaches a standby. */
const describeTable = `
  SELECT relpersistence = 'p' AS "isLogged", EXISTS (
    SELECT FROM pg_catalog.pg_index
    WHERE indrelid = pg_class.oid AND indisunique AND indimmediate AND indisvalid AND indpred IS NULL
      AND indnkeyatts = 1 AND indkey[0] = (
        SELECT attnum FROM pg_catalog.pg_attribute WHERE attrelid = pg_class.oid AND attname = 'id'
      )
  ) AS "hasKey"
  FROM pg_catalog.pg_class WHERE oid = to_regclass('plants')`;

/**
 * Checks that plants can be stored, and stored ones acknowledged: what the ledger of migrations says was done may have been undone since, or the user may
 * not be allowed to. Nothing is stored, and a table that is locked is not waited for.
 *
 * @throws {OperatorError} that says what is wrong with the table, or which right is missing
 */
export async function checkTables(connection: ClientBase): Promise<void> {
  const { rows } = await connection.query<{ isLogged: boolean; hasKey: boolean }>(describeTable);
  const [table] = rows;
  if (table === undefined) throw unusable('it is not there');
  if (!table.hasKey)
    throw unusable('its id has no primary key or other unique index that ON CONFLICT can use');
  if (!table.isLogged) throw unusable('it is unlogged, so that a crash empties it');
  await checkConfirming(connection);
  await connection.query(`BEGIN; SET LOCAL lock_timeout = ${lockTimeoutMs}`);
  try {
    // Planned and checked, but not carried out.
    await connection.query(`EXPLAIN ${insertPlants}`, [[], [], []]);
  } catch (error) {
    const serverError = findDriverError(error);
    if (serverError === undefined) throw error;
    const { code, message } = serverError;
    if (!isLocked(serverError)) throw unusable(`${message} (${code})`, error);
  } finally {
    await connection.query('ROLLBACK').catch(() => undefined);
  }
}

/** Whether another program had the table for too long, or the server has cancelled the waiting. */
function isLocked({ code }: DriverError): boolean {
  return code === '55P03' || code === '57014';
}

/** Checks the right to what a retry of a create does besides reading, without doing it. */
async function checkConfirming(connection: ClientBase): Promise<void> {
  try {
    await connection.query(`EXPLAIN ${confirmDurable}`);
  } catch (error) {
    if (findDriverError(error)?.code !== '42501') throw error;
    throw new OperatorError(
      'The database cannot be used: its user may not call pg_logical_emit_message, which a retry of a create needs. Let the user EXECUTE this function, with text as its content, as PostgreSQL lets everybody unless that was revoked.',
      { cause: error },
    );
  }
}

function unusable(reason: string, cause?: unknown): OperatorError {
  return new OperatorError(
    `The database cannot be used: its table plants is not as the service needs it: ${reason}. Restore the table as the migrations made it, and let the user SELECT from it and INSERT into it.`,
    { cause },
  );
}
