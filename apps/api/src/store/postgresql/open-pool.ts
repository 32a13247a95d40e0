import pg, { type ClientBase, type Pool, type PoolClient } from 'pg';
import type { PostgresqlLocation } from '../database-location.js';
import { connectionSettings, queryTimeoutMs, rejectAfter, withConnection } from './connection.js';

/** The smallest pool in which one connection is reserved for monitoring the others. */
const minPoolSizeToMonitor = 3;

/**
 * Opens a connection pool. Together with the connection for monitoring, there are never more connections than configured, because a
 * connection stays in the pool until the server has finished its query.
 *
 * @param isPooled whether there is a pooler in transaction mode, which hides which backend serves a connection
 */
export function openPool(location: PostgresqlLocation, isPooled: boolean) {
  const { connectMs } = location.timeouts;
  const canMonitor = location.poolSize >= minPoolSizeToMonitor && !isPooled;
  const size = canMonitor ? location.poolSize - 1 : location.poolSize;
  const backends = new WeakMap<pg.ClientBase, number>();
  const pool = new pg.Pool({
    ...connectionSettings(location, connectMs),
    max: size,
    // Closing a connection waits for the server. A server that does not respond must not keep the process running.
    allowExitOnIdle: true,
    async onConnect(connection) {
      rejectCancelledWait(connection);
      const { rows } = await rejectAfter(connectMs, connection.query<{ pid: number }>(prepare));
      if (rows[0] !== undefined) backends.set(connection, rows[0].pid);
    },
  });
  // The pool removes an idle connection that breaks; there is nothing else to do.
  pool.on('error', () => undefined);

  async function findBusy(connections: readonly pg.PoolClient[]): Promise<ReadonlySet<pg.PoolClient>> {
    const pids = connections.map((connection) => backends.get(connection));
    const busy = await findBusyBackends(location, pids);
    return new Set(connections.filter((_, index) => busy.has(pids[index])));
  }
  const watch = watchConnections(pool, {
    afterMs: queryTimeoutMs(location),
    ...(canMonitor && { findBusy }),
    endOldest: isPooled,
  });
  return {
    pool,
    size,
    /** Closes the connections, and ends those whose query has timed out. */
    async close(): Promise<void> {
      watch.beginClosing();
      await pool.end();
      watch.stop();
    },
  };
}

/**
 * Runs on each new connection. This statement makes commits wait for the disk, unless they already wait for more, such as a standby. It
 * also enables warnings, because one of them reports that a commit did not wait; see `rejectCancelledWait`.
 */
export const prepare = `
  SELECT pg_backend_pid() AS pid, set_config('client_min_messages', 'warning', false),
    CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', false) END`;

/** Returns which of these backends are not idle, queried on a separate connection. */
function findBusyBackends(
  location: PostgresqlLocation,
  pids: readonly (number | undefined)[],
): Promise<ReadonlySet<number | undefined>> {
  const { connectMs } = location.timeouts;
  return withConnection(connectionSettings(location, connectMs), async (connection) => {
    const { rows } = await rejectAfter(
      connectMs,
      connection.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE pid = ANY($1::int[]) AND state IS DISTINCT FROM 'idle'`,
        [pids],
      ),
    );
    return new Set(rows.map(({ pid }) => pid));
  });
}

/** The server functions whose warnings mean that a commit is incomplete. The text of a warning can be in any language. */
const incompleteCommitRoutines = [
  // PostgreSQL: the wait for the synchronous standby was cancelled.
  'SyncRepWaitForLSN',
  // Citus: a node has prepared the transaction, but not committed it, so its records are not visible yet.
  'FinishRemoteTransactionCommit',
];

/** The Citus function that forwards any warning from a worker, with the worker's text. */
const forwardedWarningRoutine = 'DefaultCitusNoticeReceiver';

/** The SQLSTATE of a notice that is not a warning. */
const successfulCompletion = '00000';

/**
 * Makes a statement fail if its commit is incomplete: its wait for the synchronous standby was cancelled, for example by
 * `pg_cancel_backend`, or a Citus node failed between the two phases. The server reports success with a warning, but the commit is only on
 * the primary, or not visible yet. Citus forwards a worker's warning without its origin, so every worker warning counts.
 *
 * Prisma's client would ignore the error within a transaction, so the service starts no transactions with that client. Each statement about
 * records is a separate transaction, and `runInTransaction` checks for the error in a transaction about tokens.
 */
function rejectCancelledWait(connection: ClientBase): void {
  connection.on('notice', ({ routine, code, message }) => {
    const isForwarded = routine === forwardedWarningRoutine && code !== successfulCompletion;
    if (!incompleteCommitRoutines.includes(routine ?? '') && !isForwarded) return;
    // 40003 is statement_completion_unknown. When this event occurs, the pool rejects the query and removes the connection.
    connection.emit('error', Object.assign(new Error(message), { severity: 'ERROR', code: '40003' }));
  });
}

/** The intervals between checks, in milliseconds: normally, and while the pool is closing. */
const checkEveryMs = 1_000;
const closingCheckEveryMs = 100;

/**
 * If backends cannot be checked: how long a connection must be in use before it is ended, and the minimum time until another one is ended,
 * in milliseconds.
 */
export const endOneEveryMs = 60_000;

export interface WatchDependencies {
  /** How long a connection can be in use before it is overdue, in milliseconds. By then, its query has timed out. */
  readonly afterMs: number;
  /** Returns which of these connections have a busy backend. Absent if that cannot be checked. */
  findBusy?(connections: readonly PoolClient[]): Promise<ReadonlySet<PoolClient>>;
  /** Whether to end the oldest overdue connection from time to time if backends cannot be checked. */
  readonly endOldest?: boolean;
}

/**
 * Ends pool connections whose reply will never arrive, for example because the network lost it, so that new ones can replace them. Such a
 * connection is overdue although its backend is idle. A connection with a busy backend stays, because the backend would outlive it.
 */
export function watchConnections(pool: Pick<Pool, 'on'>, dependencies: WatchDependencies) {
  const { afterMs, findBusy, endOldest = false } = dependencies;
  const inUseSince = new Map<PoolClient, number>();
  pool.on('acquire', (connection) => void inUseSince.set(connection, performance.now()));
  pool.on('release', (_, connection) => void inUseSince.delete(connection));
  let isChecking = false;
  let isClosing = false;
  let endedOneAt = Number.NEGATIVE_INFINITY;

  /** Returns which of the overdue connections to end. `overdue` starts with the oldest one. */
  async function chooseToEnd(overdue: readonly PoolClient[]): Promise<readonly PoolClient[]> {
    if (isClosing) return overdue;
    if (findBusy !== undefined) {
      const busy = await findBusy(overdue);
      return overdue.filter((connection) => !busy.has(connection));
    }
    const [oldest] = overdue;
    const now = performance.now();
    if (!endOldest || oldest === undefined || now - endedOneAt < endOneEveryMs) return [];
    if (now - (inUseSince.get(oldest) ?? now) < endOneEveryMs) return [];
    endedOneAt = now;
    return [oldest];
  }

  async function check(): Promise<void> {
    const now = performance.now();
    const overdue = new Map([...inUseSince].filter(([, since]) => now - since > afterMs));
    if (isChecking || overdue.size === 0) return;
    isChecking = true;
    const chosen = await chooseToEnd([...overdue.keys()]).catch(() => []);
    isChecking = false;
    for (const connection of chosen) {
      // The connection may have been released and acquired again by now.
      if (inUseSince.get(connection) === overdue.get(connection)) void connection.end();
    }
  }

  let timer = setInterval(check, checkEveryMs).unref();
  return {
    /** Makes every further check end all overdue connections, so that the pool can close. */
    beginClosing(): void {
      isClosing = true;
      clearInterval(timer);
      timer = setInterval(check, closingCheckEveryMs).unref();
    },
    stop: () => clearInterval(timer),
  };
}
