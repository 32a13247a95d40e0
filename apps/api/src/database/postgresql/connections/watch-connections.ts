import type { Pool, PoolClient } from 'pg';

/** How often connections are looked at, in milliseconds, and how often while the pool closes. */
const lookEveryMs = 1_000;
const closingLookEveryMs = 100;

/** Where the server cannot be asked: how long a connection is kept at least, and until the next one is ended. */
export const endOneEveryMs = 60_000;

/** What watching connections needs to know. */
export interface WatchDependencies {
  /** How long a connection may be in use before it is looked at, in milliseconds: nobody waits for its answer by then. */
  readonly afterMs: number;
  /** Which of these connections the server is at work for; absent where it cannot be asked. */
  findBusy?(connections: readonly PoolClient[]): Promise<ReadonlySet<PoolClient>>;
  /** Whether, where the server cannot be asked, the oldest such connection is ended now and then. */
  readonly endOldest?: boolean;
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
export function watchConnections(pool: Pick<Pool, 'on'>, parts: WatchDependencies): ConnectionWatch {
  const { afterMs, findBusy, endOldest = false } = parts;
  const inUseSince = new Map<PoolClient, number>();
  pool.on('acquire', (connection) => void inUseSince.set(connection, performance.now()));
  pool.on('release', (_, connection) => void inUseSince.delete(connection));
  let looking = false;
  let closing = false;
  let endedOneAt = Number.NEGATIVE_INFINITY;

  /** Which of the connections are to end, the oldest first. */
  async function choose(overdue: readonly PoolClient[]): Promise<readonly PoolClient[]> {
    if (closing) return overdue;
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

  async function look(): Promise<void> {
    const now = performance.now();
    const overdue = new Map([...inUseSince].filter(([, since]) => now - since > afterMs));
    if (looking || overdue.size === 0) return;
    looking = true;
    const chosen = await choose([...overdue.keys()]).catch(() => []);
    looking = false;
    for (const connection of chosen) {
      // It may have been released and be in use for something else by now.
      if (inUseSince.get(connection) === overdue.get(connection)) void connection.end();
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
