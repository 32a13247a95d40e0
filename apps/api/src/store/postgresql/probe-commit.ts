import { INT64_MIN } from '@plant-store/contract';
import type { ClientBase, Pool } from 'pg';
import { shareInFlight } from '../../runtime/timing.js';
import { allTables, insertTrialSql, type Table } from '../table.js';
import { findDriverError, isRowRejected } from './errors.js';

/**
 * A statement that waits until everything read before is as durable as a commit: on the server's disk, and on its synchronous standby.
 *
 * A plain SELECT may return rows that can still be lost: if a backend is terminated while it waits for the standby, its record is visible, but
 * only on the primary. This statement writes to the write-ahead log, so it commits, and the commit waits until the log is durable up to that
 * point (https://www.postgresql.org/docs/current/warm-standby.html#SYNCHRONOUS-REPLICATION). Everything that was read precedes it in the log.
 *
 * It writes an empty message for logical decoding, which by default needs no privilege, and which subscribers ignore. Locking the rows would
 * write to each of them, and needs the privilege to update them. Assigning a transaction id writes nothing.
 */
export const confirmDurableSql = `WITH durable AS (SELECT pg_logical_emit_message(true, 'plant-store', '')) SELECT FROM durable`;

/**
 * A column of a SELECT with the same effect, for a distributed table. It is evaluated for each returned row on the node that has the row,
 * whereas `confirmDurableSql` only waits for the coordinator. A sequential scan would evaluate a condition first, because it is cheap, and write
 * to the log for every row of the shard.
 */
export const confirmPerRowSql = `pg_logical_emit_message(true, 'plant-store', '') IS NOT NULL`;

/**
 * A condition with the same effect for a statement that reads one server. It is evaluated once for all rows, and commits only if needed: if
 * part of the log is not on the server's disk yet, or there is a standby to wait for. Everything that the statement sees precedes the end of
 * the log.
 */
export const confirmOnceSql = `(SELECT ${confirmPerRowSql} WHERE CASE
  WHEN pg_is_in_recovery() OR current_setting('synchronous_standby_names') <> '' THEN true
  ELSE pg_current_wal_flush_lsn() < pg_current_wal_insert_lsn() END)`;

/**
 * Creates a function that tests whether a record could be stored in each table and committed. It fails, for example, because of a lock, a
 * missing privilege, a full disk, or a missing standby. Concurrent calls share one connection, because it may wait for a long time. It succeeds
 * if a constraint or trigger of the operator rejects a test record, because the database has answered.
 */
export function createCommitProbe(
  pool: Pick<Pool, 'query'>,
  tables: readonly Table[] = allTables,
): () => Promise<void> {
  return shareInFlight(async () => {
    await tryInsert(pool, tables);
    // This writes to the write-ahead log and commits.
    await pool.query(confirmDurableSql);
  });
}

/** Enough ids for each node of a small Citus cluster to have some. */
const trialIds = Array.from({ length: 32 }, (_, index) => INT64_MIN + BigInt(index));

/**
 * Inserts records into each table and rolls back, in one message, so that it also works with a pooler in transaction mode. It succeeds
 * when a constraint or trigger of the operator rejects one.
 */
async function tryInsert(
  connection: Pick<ClientBase | Pool, 'query'>,
  tables: readonly Table[],
): Promise<void> {
  try {
    const inserts = tables.map((table) => insertTrialSql(table, trialIds));
    await connection.query(`BEGIN; ${inserts.join('; ')}; ROLLBACK`);
  } catch (error) {
    const serverError = findDriverError(error);
    if (serverError === undefined || !isRowRejected(serverError)) throw error;
  }
}
