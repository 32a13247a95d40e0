import type { ClientBase } from 'pg';

/** The server's function that waits for the synchronous standby. Its messages may be in any language. */
const waitForStandbyRoutine = 'SyncRepWaitForLSN';

/** The function of Citus that passes on what a worker reports: a warning of any kind, with the worker's own text. */
const warningOfWorkerRoutine = 'DefaultCitusNoticeReceiver';

/** The SQLSTATE of a notice that is no warning. */
const successfulCompletion = '00000';

/**
 * Makes a statement fail when its wait for the synchronous standby is cancelled, for example by `pg_cancel_backend`.
 * The server reports a success with a warning, but the commit is on the primary only, and would be lost with it. Where
 * plants are distributed by Citus, the coordinator passes on such a warning of a worker without its origin, so that each
 * warning of a worker counts.
 *
 * This does not work inside a transaction of Prisma's client: its adapter ignores the error there, so that the COMMIT
 * would count as a success. No such transaction is used: each statement about plants or tokens is a transaction of its
 * own.
 */
export function rejectCancelledWait(connection: ClientBase): void {
  connection.on('notice', ({ routine, code, message }) => {
    const isOfWorker = routine === warningOfWorkerRoutine && code !== successfulCompletion;
    if (routine !== waitForStandbyRoutine && !isOfWorker) return;
    // 40003 is statement_completion_unknown. On this event the pool rejects the query and removes the connection.
    connection.emit('error', Object.assign(new Error(message), { severity: 'ERROR', code: '40003' }));
  });
}
