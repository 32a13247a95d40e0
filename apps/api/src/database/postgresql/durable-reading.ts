/**
 * Begins a statement whose answer comes once all that it reads is as durable as a commit of its own: on the server's
 * disk, and on its synchronous standby. It has to join `durable`, which is one row.
 *
 * A plain SELECT waits for nothing, and shows what may yet be lost: a plant whose backend was ended while it waited for
 * the standby is there for all to see, but on the primary alone. This one writes to PostgreSQL's log and so commits. What
 * is visible to it comes before its own record in the log, and a commit waits until the log is durable as far as its own
 * record (https://www.postgresql.org/docs/current/warm-standby.html#SYNCHRONOUS-REPLICATION).
 *
 * The record is an empty message for logical decoding, which needs no privilege and which subscribers pass over. A lock on
 * the rows would do as well, but writes to each row and its page, and needs the right to update them; a transaction id
 * alone writes nothing.
 */
export const withDurable = `WITH durable AS (SELECT pg_logical_emit_message(true, 'plant-store', ''))`;

/** Waits until all that was read before is as durable, and reads nothing itself. */
export const confirmDurable = `${withDurable} SELECT FROM durable`;
