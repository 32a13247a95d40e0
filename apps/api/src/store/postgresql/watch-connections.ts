import type { Pool, PoolClient } from 'pg';

/** The interval of the checks, in milliseconds, and while the pool is closing. */
const checkEveryMs = 1_000;
const closingCheckEveryMs = 100;

/**
 * Where backends cannot be checked: the minimum age of a connection that is ended, and the interval, in milliseconds.
 */
export const endOneEveryMs = 60_000;

/** What the watch depends on. */
export interface WatchDependencies {
  /** How long a connection may be in use before it is overdue, in milliseconds: its query has timed out by then. */
  readonly afterMs: number;
  /** Which of these connections have a busy backend; absent where that cannot be checked. */
  findBusy?(connections: readonly PoolClient[]): Promise<ReadonlySet<PoolClient>>;
  /** Whether the oldest overdue connection is ended from time to time where backends cannot be checked. */
  readonly endOldest?: boolean;
}

export interface ConnectionWatch {
  /** From now on ends every overdue connection, so that the pool can close. */
  beginClosing(): void;
  stop(): void;
}

/**
 * Ends connections of a pool whose reply will never arrive, for example because the network lost it, so that others can
 * take their place: those that are overdue although their backend is idle. A connection with a busy backend keeps its
 * place, since the backend would outlive it.
 */
export function watchConnections(pool: Pick<Pool, 'on'>, dependencies: WatchDependencies): ConnectionWatch {
  const { afterMs, findBusy, endOldest = false } = dependencies;
  const inUseSince = new Map<PoolClient, number>();
  pool.on('acquire', (connection) => void inUseSince.set(connection, performance.now()));
  pool.on('release', (_, connection) => void inUseSince.delete(connection));
  let isChecking = false;
  let closing = false;
  let endedOneAt = Number.NEGATIVE_INFINITY;

  /** Which of the overdue connections to end, the oldest first. */
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

  async function check(): Promise<void> {
    const now = performance.now();
    const overdue = new Map([...inUseSince].filter(([, since]) => now - since > afterMs));
    if (isChecking || overdue.size === 0) return;
    isChecking = true;
    const chosen = await choose([...overdue.keys()]).catch(() => []);
    isChecking = false;
    for (const connection of chosen) {
      // It may have been released and acquired again by now.
      if (inUseSince.get(connection) === overdue.get(connection)) void connection.end();
    }
  }

  let timer = setInterval(check, checkEveryMs).unref();
  return {
    beginClosing() {
      closing = true;
      clearInterval(timer);
      timer = setInterval(check, closingCheckEveryMs).unref();
    },
    stop: () => clearInterval(timer),
  };
}
