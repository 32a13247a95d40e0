import { INT64_MIN } from '@plant-store/contract';
import type { ClientBase, Pool } from 'pg';
import { shareInFlight } from '../../runtime/timing.js';
import { allTables, insertTrialSql, type Table } from '../table.js';
import { findDriverError, isRowRejected } from './errors.js';

/**
 * A statement that waits until everything read before is as durable as a commit: on the server's disk, and on its synchronous standby.
 *
 * A plain SELECT does not wait, and returns rows that may still be lost: a record whose backend was terminated while it
 * waited for the standby is visible, but only on the primary. This statement writes a record to the write-ahead log,
 * and so commits. Everything visible to it precedes its own record, and a commit waits until the log is durable up to
 * its record (https://www.postgresql.org/docs/current/warm-standby.html#SYNCHRONOUS-REPLICATION).
 *
 * The record is an empty message for logical decoding, which by default needs no privilege and which subscribers
 * ignore. A lock on the rows would also work, but writes to each row and its page, and needs the privilege to update
 * them; assigning a transaction id writes nothing.
 */
export const confirmDurable = `WITH durable AS (SELECT pg_logical_emit_message(true, 'plant-store', '')) SELECT FROM durable`;

/**
 * A column of a SELECT with the same effect, for a distributed table: it is evaluated for each row that is returned, on the
 * node that has the row, whereas `durable` would wait for the coordinator alone if the rows are on several nodes. As a
 * condition it would be evaluated first in a sequential scan, being cheap, and write a record for each row of the shard.
 */
export const durableColumnSql = `pg_logical_emit_message(true, 'plant-store', '') IS NOT NULL`;

/**
 * The same for a statement that reads one server, once for all its rows, and without a commit where none is needed: the server's
 * disk has the whole log already, and there is no standby to wait for. Whatever the statement sees precedes the end of the log.
 */
export const durableOnceSql = `(SELECT ${durableColumnSql} WHERE CASE
  WHEN pg_is_in_recovery() OR current_setting('synchronous_standby_names') <> '' THEN true
  ELSE pg_current_wal_flush_lsn() < pg_current_wal_insert_lsn() END)`;

/**
 * Creates a function that tests whether records can be stored, and commits: it fails whenever some table can store none, for example
 * because of a lock, a missing privilege, a full disk or a missing standby. It may wait long with a connection, so concurrent calls share
 * one. It succeeds when a constraint or trigger of the operator rejects a test record, since the database has answered.
 */
export function createProbeCommit(
  pool: Pick<Pool, 'query'>,
  tables: readonly Table[] = allTables,
): () => Promise<void> {
  return shareInFlight(async () => {
    await tryInsert(pool, tables);
    // This writes to the write-ahead log and commits.
    await pool.query(confirmDurable);
  });
}

/** So many that some are on each node of a small cluster of Citus. */
const trialIds = Array.from({ length: 32 }, (_, index) => INT64_MIN + BigInt(index));

/**
 * Inserts records into each table and rolls back, in one message, so that it also works with a pooler in transaction mode. It succeeds
 * when a constraint or trigger of the operator rejects one.
 */
export async function tryInsert(
  connection: Pick<ClientBase | Pool, 'query'>,
  tables: readonly Table[] = allTables,
): Promise<void> {
  try {
    const inserts = tables.map((table) => insertTrialSql(table, trialIds));
    await connection.query(`BEGIN; ${inserts.join('; ')}; ROLLBACK`);
  } catch (error) {
    const serverError = findDriverError(error);
    if (serverError === undefined || !isRowRejected(serverError)) throw error;
  }
}
