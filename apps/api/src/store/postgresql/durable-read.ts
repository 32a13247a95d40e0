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
export const withDurable = `WITH durable AS (SELECT pg_logical_emit_message(true, 'plant-store', ''))`;

/** Waits until everything read before is as durable as a commit, and reads nothing itself. */
export const confirmDurable = `${withDurable} SELECT FROM durable`;

/**
 * A column of a SELECT with the same effect, for a distributed table: it is evaluated for each row that is returned, on the
 * node that has the row, whereas `durable` would wait for the coordinator alone if the rows are on several nodes. As a
 * condition it would be evaluated first in a sequential scan, being cheap, and write a record for each row of the shard.
 */
export const durableColumnSql = `pg_logical_emit_message(true, 'plant-store', '') IS NOT NULL`;
