import type { ClientBase, Pool } from 'pg';
import { findDriverError, isRowRejected } from './errors.js';

/**
 * The beginning of a statement that returns once everything it reads is as durable as a commit: on the server's disk,
 * and on its synchronous standby. The statement has to join `durable`, which has one row.
 *
 * A plain SELECT does not wait, and returns rows that may still be lost: a plant whose backend was terminated while it
 * waited for the standby is visible, but only on the primary. This statement writes a record to the write-ahead log,
 * and so commits. Everything visible to it precedes its own record, and a commit waits until the log is durable up to
 * its record (https://www.postgresql.org/docs/current/warm-standby.html#SYNCHRONOUS-REPLICATION).
 *
 * The record is an empty message for logical decoding, which by default needs no privilege and which subscribers
 * ignore. A lock on the rows would also work, but writes to each row and its page, and needs the privilege to update
 * them; assigning a transaction id writes nothing.
 */
const withDurable = `WITH durable AS (SELECT pg_logical_emit_message(true, 'plant-store', ''))`;

/** Waits until everything read before is as durable as a commit, and reads nothing itself. */
export const confirmDurable = `${withDurable} SELECT FROM durable`;

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

/** The id of the test plant of a table that is not distributed. */
const probeId = -9_223_372_036_854_775_808n;

/** Inserts a plant and rolls back, in one message, so that it also works with a pooler in transaction mode. */
const insertProbe = (id: bigint) => `
  BEGIN;
  INSERT INTO plants (id, name) VALUES (${id}, 'trial') ON CONFLICT (id) DO NOTHING;
  ROLLBACK`;

/**
 * Confirms that reads are durable as `confirmDurable` does, on the server that has the plant with this id: Citus sends a
 * statement that reads one shard to its worker as a whole. With a join it would write on the coordinator instead.
 */
const confirmDurableOf = `${withDurable} SELECT (SELECT count(*) FROM plants WHERE id = $1) FROM durable`;

/**
 * Tests whether plants can be stored, and commits: it fails whenever no plant can be stored, for example because of a lock, a
 * missing privilege, a full disk or a missing standby, for which it may wait long. It succeeds when a constraint or trigger of the
 * operator rejects the test plant, since the database has answered.
 *
 * @param id of the test plant, for a distributed table, of which the node of that id is tested
 */
export async function probeCommit(connection: Pick<Pool, 'query'>, id?: bigint): Promise<void> {
  await tryInsert(connection, id);
  // This writes to the write-ahead log and commits.
  await (id === undefined ? connection.query(confirmDurable) : connection.query(confirmDurableOf, [id]));
}

/** Creates a function that does that, of which concurrent calls share one: it may wait long, with a connection. */
export function createProbeCommit(pool: Pick<Pool, 'query'>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return function probe() {
    running ??= probeCommit(pool).finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** Inserts a plant and rolls back; succeeds when a constraint or trigger of the operator rejects it. */
export async function tryInsert(
  connection: Pick<ClientBase | Pool, 'query'>,
  id: bigint = probeId,
): Promise<void> {
  try {
    await connection.query(insertProbe(id));
  } catch (error) {
    const serverError = findDriverError(error);
    if (serverError === undefined || !isRowRejected(serverError)) throw error;
  }
}
