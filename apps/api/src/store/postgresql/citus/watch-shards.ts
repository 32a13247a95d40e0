import type { Pool } from 'pg';
import { readShardMap, type ShardMap } from './shard-map.js';

/**
 * How often the map is read again, in milliseconds. It changes when a shard is split or moved; with an outdated map plants are
 * stored as well, only with more work for the cluster.
 */
const refreshMs = 10_000;

/** The current shards of the plants table. */
export interface ShardWatch {
  /** `undefined` while the table is not distributed. */
  current(): ShardMap | undefined;
  close(): void;
}

/**
 * Reads the map, and again and again until it is closed. A map that cannot be read stays as it was.
 *
 * @param onRead called after each map that was read again
 */
export async function watchShards(
  pool: Pick<Pool, 'query'>,
  onRead: () => void,
  everyMs = refreshMs,
): Promise<ShardWatch> {
  let current = await readShardMap(pool);
  let isReading = false;

  async function read(): Promise<void> {
    current = await readShardMap(pool);
    onRead();
  }

  const timer = setInterval(() => {
    // A database that does not answer gets no more of these.
    if (isReading) return;
    isReading = true;
    void read()
      .catch(() => undefined)
      .finally(() => {
        isReading = false;
      });
  }, everyMs);
  timer.unref();
  return { current: () => current, close: () => clearInterval(timer) };
}
