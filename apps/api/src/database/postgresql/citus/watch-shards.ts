import type { Pool } from 'pg';
import { readShardMap, type ShardMap } from './shard-map.js';

/**
 * How often the map is read again, in milliseconds. It changes when the table is distributed and when a shard is split; with
 * an outdated map plants are stored as well, only with more work for the cluster. Where a shard is moved to does not matter.
 */
const refreshMs = 10_000;

/** The current shards of the plants table. */
export interface ShardWatch {
  /** `undefined` while the table is not distributed. */
  current(): ShardMap | undefined;
  close(): void;
}

/** Reads the map, and again and again until it is closed. A map that cannot be read stays as it was. */
export async function watchShards(pool: Pick<Pool, 'query'>, everyMs = refreshMs): Promise<ShardWatch> {
  let current = await readShardMap(pool);
  let reading = false;
  const timer = setInterval(() => {
    // A database that does not answer gets no more of these.
    if (reading) return;
    reading = true;
    void readShardMap(pool)
      .then(
        (map) => {
          current = map;
        },
        () => undefined,
      )
      .finally(() => {
        reading = false;
      });
  }, everyMs);
  timer.unref();
  return { current: () => current, close: () => clearInterval(timer) };
}
