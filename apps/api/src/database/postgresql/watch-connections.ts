import type { Pool, PoolClient } from 'pg';

/** How often connections are looked at, in milliseconds, and how often while the pool closes. */
const lookEveryMs = 1_000;
const closingLookEveryMs = 100;

/** What watching connections needs to know. */
export interface WatchParts {
  /** How long a connection may be in use before it is looked at, in milliseconds: nobody waits for its answer by then. */
  readonly afterMs: number;
  /** Which of these connections the server is at work for. Absent where it cannot be asked: they are kept then. */
  findBusy?(connections: readonly PoolClient[]): Promise<ReadonlySet<PoolClient>>;
}

export interface ConnectionWatch {
  /** From now on each connection that is in use for too long is ended, so that the pool can close. */
  beginClosing(): void;
  stop(): void;
}

/**
 * Ends connections of a pool whose answer will never come, so that their places in the pool are free again: those that
 * are in use for too long although the server is not at work for them, as when the network swallowed the answer. One
 * that the server is at work for keeps its place, since its backend would stay when the connection ends.
 */
export function watchConnections(pool: Pool, { afterMs, findBusy }: WatchParts): ConnectionWatch {
  const inUseSince = new Map<PoolClient, number>();
  pool.on('acquire', (connection) => void inUseSince.set(connection, performance.now()));
  pool.on('release', (_, connection) => void inUseSince.delete(connection));
  let looking = false;
  let closing = false;

  async function look(): Promise<void> {
    const now = performance.now();
    const overdue = [...inUseSince].filter(([, since]) => now - since > afterMs);
    if (looking || overdue.length === 0) return;
    looking = true;
    const connections = overdue.map(([connection]) => connection);
    const busy = await (closing ? undefined : findBusy?.(connections).catch(() => undefined));
    looking = false;
    if (busy === undefined && !closing) return;
    for (const [connection, since] of overdue) {
      // It may have been released and be in use for something else by now.
      if (!busy?.has(connection) && inUseSince.get(connection) === since) void connection.end();
    }
  }

  let timer = setInterval(look, lookEveryMs).unref();
  return {
    beginClosing() {
      closing = true;
      clearInterval(timer);
      timer = setInterval(look, closingLookEveryMs).unref();
    },
    stop: () => clearInterval(timer),
  };
}
