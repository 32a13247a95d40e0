import { INT64_MIN } from '@plant-store/contract';
import type { ClientBase, Pool } from 'pg';
import { shareInFlight } from '../../runtime/timing.js';
import { allTables, insertTrialSql, type Table } from '../table.js';
import { findDriverError, isRowRejected } from './errors.js';

/**
 * A statement that waits until all data read before it is as durable as a commit: on the server's disk and on its synchronous standby.
 *
 * A plain SELECT can return rows that can still be lost. For example, if a backend is terminated while it waits for the standby, its record
 * is visible but exists only on the primary. This statement writes to the write-ahead log (WAL), so it commits, and its commit waits until
 * the WAL is durable up to that point (https://www.postgresql.org/docs/current/warm-standby.html#SYNCHRONOUS-REPLICATION). All data read
 * before it precedes it in the WAL.
 *
 * The statement writes an empty message for logical decoding. By default, this message requires no privilege, and subscribers ignore it.
 * Locking the rows instead would write to each row and require the UPDATE privilege. Assigning a transaction ID would write nothing.
 */
export const confirmDurableSql = `WITH durable AS (SELECT pg_logical_emit_message(true, 'plant-store', '')) SELECT FROM durable`;

/**
 * A SELECT column that confirms durability as `confirmDurableSql` does, for a distributed table. Each node evaluates the column for the rows
 * that the node returns, whereas `confirmDurableSql` waits only for the coordinator. A condition would be less efficient: because the
 * expression is cheap, a sequential scan would evaluate it first, and write to the WAL for every row of the shard.
 */
export const confirmPerRowSql = `pg_logical_emit_message(true, 'plant-store', '') IS NOT NULL`;

/**
 * A condition that confirms durability as `confirmDurableSql` does, for a statement that reads from a single server. PostgreSQL evaluates the
 * condition once per statement. The statement commits only if part of the WAL is not on the server's disk yet, or if there is a standby to
 * wait for. All data that the statement reads precedes the end of the WAL.
 */
export const confirmOnceSql = `(SELECT ${confirmPerRowSql} WHERE CASE
  WHEN pg_is_in_recovery() OR current_setting('synchronous_standby_names') <> '' THEN true
  ELSE pg_current_wal_flush_lsn() < pg_current_wal_insert_lsn() END)`;

/**
 * Creates a function that checks whether each table can store a record and commit it. The check fails, for example, if a table is locked, a
 * privilege is missing, the disk is full, or the standby does not respond. Concurrent calls share one check, because it can take a long
 * time.
 */
export function createCommitProbe(
  pool: Pick<Pool, 'query'>,
  tables: readonly Table[] = allTables,
): () => Promise<void> {
  return shareInFlight(async () => {
    await tryInsert(pool, tables);
    // Unlike the test records, this statement is committed.
    await pool.query(confirmDurableSql);
  });
}

/** The IDs of the test records. There are enough of them for every node of a small Citus cluster to store at least one. */
const trialIds = Array.from({ length: 32 }, (_, index) => INT64_MIN + BigInt(index));

/**
 * Inserts test records into each table and rolls back. All statements are in one message, so that they work through a pooler in transaction
 * mode. If the operator's own constraint or trigger rejects a record, the insert still counts as successful, because the database responded.
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
