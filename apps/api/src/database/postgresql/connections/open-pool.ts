import pg from 'pg';
import type { PostgresqlLocation } from '../../database-location.js';
import { connectionSettings, connectTimeoutMs, giveUpAfterMs } from './connection-settings.js';
import { rejectAfter } from './reject-after.js';
import { rejectCancelledWait } from './reject-cancelled-wait.js';
import { watchConnections } from './watch-connections.js';

/** From how many connections on the place of one is kept for asking the server about the others. */
const leastToAsk = 3;

/** The connections that the service uses. */
export interface ConnectionPool {
  readonly pool: pg.Pool;
  /** How many of them there are at most. */
  readonly size: number;
  /** Closes them; those whose answer nobody waits for any more are cut. */
  close(): Promise<void>;
}

/**
 * Opens a pool of connections. With what it asks the server about them, there are never more than the configuration
 * allows at once: one keeps its place until the server is done with it.
 *
 * @param isPooled whether a pooler is in between, which hands on each transaction: which backend works for a connection
 * is not known then
 */
export function openPool(location: PostgresqlLocation, isPooled: boolean): ConnectionPool {
  const canAsk = location.poolSize >= leastToAsk && !isPooled;
  const size = canAsk ? location.poolSize - 1 : location.poolSize;
  const backends = new WeakMap<pg.ClientBase, number>();
  const pool = new pg.Pool({
    ...connectionSettings(location),
    max: size,
    // Or one whose server is silent would keep the process from ending: closing it waits for an answer.
    allowExitOnIdle: true,
    async onConnect(connection) {
      rejectCancelledWait(connection);
      const { rows } = await rejectAfter(connectTimeoutMs, connection.query<{ pid: number }>(prepare));
      if (rows[0] !== undefined) backends.set(connection, rows[0].pid);
    },
  });
  // An idle connection that breaks is not used again; there is nothing else to do about it.
  pool.on('error', () => undefined);

  async function findBusy(connections: readonly pg.PoolClient[]): Promise<ReadonlySet<pg.PoolClient>> {
    const pids = connections.map((connection) => backends.get(connection));
    const busy = await findBusyBackends(location, pids);
    return new Set(connections.filter((_, index) => busy.has(pids[index])));
  }
  const watch = watchConnections(pool, {
    afterMs: giveUpAfterMs(location),
    ...(canAsk && { findBusy }),
    endOldest: isPooled,
  });
  return {
    pool,
    size,
    async close() {
      watch.beginClosing();
      await pool.end();
      watch.stop();
    },
  };
}

/**
 * What each connection begins with. A commit that does not wait for the disk is made to; one that waits for more, such as
 * for a standby, stays so. Warnings are sent, since one of them says that a commit did not wait; see `rejectCancelledWait`.
 */
const prepare = `
  SELECT pg_backend_pid() AS pid, set_config('client_min_messages', 'warning', false),
    CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', false) END`;

/** Which of these processes of the server are at work, asked on a connection of its own. */
async function findBusyBackends(
  location: PostgresqlLocation,
  pids: readonly (number | undefined)[],
): Promise<ReadonlySet<number | undefined>> {
  const connection = new pg.Client(connectionSettings(location));
  connection.on('error', () => undefined);
  try {
    await connection.connect();
    const { rows } = await rejectAfter(
      connectTimeoutMs,
      connection.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE pid = ANY($1::int[]) AND state IS DISTINCT FROM 'idle'`,
        [pids],
      ),
    );
    return new Set(rows.map(({ pid }) => pid));
  } finally {
    void connection.end();
  }
}
