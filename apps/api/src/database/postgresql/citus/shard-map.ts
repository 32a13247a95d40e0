import type { ClientBase, Pool } from 'pg';
import { hashId } from './hash-id.js';

/** A shard of the plants table, and the hashes of the ids in it, both ends included. */
export interface Shard {
  readonly id: number;
  readonly minHash: number;
  readonly maxHash: number;
  /** The group of the node that it is on. */
  readonly node: number;
}

/** The shards of the plants table, which divide all hashes among them. */
export interface ShardMap {
  readonly shards: readonly Shard[];
  /** The shard in which the plant with this id is. */
  shardOf(id: bigint): number;
  /** The group of the node that a shard is on; `undefined` if there is no such shard. */
  nodeOf(shard: number): number | undefined;
  /** The fraction of all ids whose plants are in a shard, from 0 to 1; 0 if there is no such shard. */
  shareOf(shard: number): number;
  /** How many nodes have shards. */
  readonly nodes: number;
}

/** Whether the database has the extension Citus. */
export async function hasCitus(connection: ClientBase): Promise<boolean> {
  const { rows } = await connection.query<{ found: boolean }>(
    `SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AS found`,
  );
  return rows[0]?.found === true;
}

/**
 * Reads the shards of the plants table (https://docs.citusdata.com/en/stable/develop/api_metadata.html); `undefined` where the
 * table is not distributed by the hash of the id. It reads the catalog alone, so it works while nodes are away.
 */
export async function readShardMap(pool: Pick<Pool, 'query'>): Promise<ShardMap | undefined> {
  const { rows } = await pool.query<{ id: string; minHash: number; maxHash: number; node: number }>(`
    SELECT shardid AS id, shardminvalue::int AS "minHash", shardmaxvalue::int AS "maxHash",
      coalesce((SELECT min(groupid) FROM pg_catalog.pg_dist_placement placement
        WHERE placement.shardid = pg_dist_shard.shardid AND shardstate = 1), 0)::int AS node
    FROM pg_catalog.pg_dist_shard JOIN pg_catalog.pg_dist_partition USING (logicalrelid)
    WHERE logicalrelid = to_regclass('plants') AND partmethod = 'h'
      AND column_to_column_name(logicalrelid, partkey) = 'id'
    ORDER BY "minHash"`);
  const shards = rows.map((row) => ({ ...row, id: Number(row.id) }));
  return shards.length === 0 ? undefined : createShardMap(shards);
}

/** @param shards in the order of their hashes, without a gap */
export function createShardMap(shards: readonly Shard[]): ShardMap {
  const byId = new Map(shards.map((shard) => [shard.id, shard]));
  const maxHashes = Int32Array.from(shards, ({ maxHash }) => maxHash);
  return {
    shards,
    nodes: new Set(shards.map(({ node }) => node)).size,
    nodeOf: (shard) => byId.get(shard)?.node,
    shareOf(shard) {
      const found = byId.get(shard);
      return found === undefined ? 0 : (found.maxHash - found.minHash + 1) / 2 ** 32;
    },
    shardOf(id) {
      const hash = hashId(id);
      let low = 0;
      let high = maxHashes.length - 1;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (hash <= Number(maxHashes[middle])) high = middle;
        else low = middle + 1;
      }
      return shards[low]?.id ?? 0;
    },
  };
}
