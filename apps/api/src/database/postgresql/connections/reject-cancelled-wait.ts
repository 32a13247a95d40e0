import type { ClientBase } from 'pg';

/** The function of the server that waits for the synchronous standby. Its messages may be in any language. */
const waitsForStandby = 'SyncRepWaitForLSN';

/**
 * Fails the statement of a connection whose wait for the synchronous standby was cancelled, as by `pg_cancel_backend`. The
 * server calls it a success with a warning: the commit is on the primary alone, and would be lost with it.
 *
 * Not inside a transaction that Prisma's client has open: its adapter ignores the error there, so that the COMMIT would
 * count as a success. None is used: each statement about plants or tokens is a transaction of its own.
 */
export function rejectCancelledWait(connection: ClientBase): void {
  connection.on('notice', ({ routine, message }) => {
    if (routine !== waitsForStandby) return;
    // 40003 is statement_completion_unknown. The pool fails what runs on a connection with an error, and drops that.
    connection.emit('error', Object.assign(new Error(message), { severity: 'ERROR', code: '40003' }));
  });
}
