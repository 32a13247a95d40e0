import type { Pool } from 'pg';
import { hasCitus, readShardMap, type ShardMap } from './shard-map.js';

/**
 * How often the map is read again, in milliseconds. It changes when the table is distributed and when a shard is split; with
 * an outdated map plants are stored as well, only with more work for the cluster. Where a shard is moved to does not matter.
 */
const refreshMs = 10_000;

/** The current shards of the plants table. */
export interface ShardWatch {
  /** `undefined` while the table is not distributed. */
  current(): ShardMap | undefined;
  /** Whether the table may have been distributed since the map was read, which needs the extension Citus. */
  mayBeDistributed(): boolean;
  /** Notes that the table is in use, without which one PostgreSQL is not asked for the extension. */
  noteUse(): void;
  close(): void;
}

export interface ShardWatchOptions {
  /** Whether the database has the extension Citus at the start. */
  readonly hasCitus: boolean;
  /** Called after each map that was read. */
  onRead?(): void;
  readonly everyMs?: number;
}

/**
 * Reads the map, and again and again until it is closed. A map that cannot be read stays as it was. A database without Citus
 * may get it later: while the table is in use, it is asked for that instead.
 */
export async function watchShards(
  pool: Pick<Pool, 'query'>,
  options: ShardWatchOptions,
): Promise<ShardWatch> {
  const { onRead = () => undefined, everyMs = refreshMs } = options;
  let isCitus = options.hasCitus;
  let current = isCitus ? await readShardMap(pool) : undefined;
  let isUsed = false;
  let isReading = false;

  async function read(): Promise<void> {
    isCitus ||= await hasCitus(pool);
    if (!isCitus) return;
    current = await readShardMap(pool);
    onRead();
  }

  const timer = setInterval(() => {
    // A database that does not answer gets no more of these, and one that nobody uses none.
    if (isReading || !(isCitus || isUsed)) return;
    isUsed = false;
    isReading = true;
    void read()
      .catch(() => undefined)
      .finally(() => {
        isReading = false;
      });
  }, everyMs);
  timer.unref();
  return {
    current: () => current,
    mayBeDistributed: () => isCitus,
    noteUse() {
      isUsed = true;
    },
    close: () => clearInterval(timer),
  };
}
