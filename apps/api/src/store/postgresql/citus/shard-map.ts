import type { ClientBase, Pool } from 'pg';

/** A shard of the plants table, and the hashes of the ids in it, both ends included. */
interface Shard {
  readonly id: number;
  readonly minHash: number;
  readonly maxHash: number;
  /** The group of the node that it is on. */
  readonly node: number;
  /** The address of that node, as the coordinator reaches it. */
  readonly address?: NodeAddress | undefined;
}

/** Where the coordinator reaches a node. */
export interface NodeAddress {
  readonly host: string;
  readonly port: number;
}

/** A node, by its group, which it shares with its standbys. */
export interface CitusNode extends NodeAddress {
  readonly group: number;
}

/** `host:port`. */
export function nameOfNode({ host, port }: NodeAddress): string {
  return `${host}:${port}`;
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
  /** The nodes that have shards, by their groups, with their addresses where these are known. */
  readonly nodes: ReadonlyMap<number, NodeAddress | undefined>;
}

/**
 * Reads the shards of the plants table (https://docs.citusdata.com/en/stable/develop/api_metadata.html); `undefined` where the
 * table is not distributed by the hash of the id. It reads the catalog alone, so it works while nodes are away.
 */
export async function readShardMap(
  connection: Pick<ClientBase | Pool, 'query'>,
): Promise<ShardMap | undefined> {
  const { rows } = await connection.query<ShardRow>(`
    SELECT shard.*, nodename AS host, nodeport AS port FROM (
      SELECT shardid AS id, shardminvalue::int AS "minHash", shardmaxvalue::int AS "maxHash",
        coalesce((SELECT min(groupid) FROM pg_catalog.pg_dist_placement placement
          WHERE placement.shardid = pg_dist_shard.shardid AND shardstate = 1), 0)::int AS node
      FROM pg_catalog.pg_dist_shard JOIN pg_catalog.pg_dist_partition USING (logicalrelid)
      WHERE logicalrelid = to_regclass('plants') AND partmethod = 'h'
        AND column_to_column_name(logicalrelid, partkey) = 'id'
    ) AS shard LEFT JOIN pg_catalog.pg_dist_node ON groupid = node AND noderole = 'primary'
    ORDER BY "minHash"`);
  const shards = rows.map(({ id, host, port, ...row }) => ({
    ...row,
    id: Number(id),
    address: host === null ? undefined : { host, port },
  }));
  return shards.length === 0 ? undefined : createShardMap(shards);
}

/** The group of the coordinator. */
export const coordinatorGroup = 0;

/** The nodes with shards other than the coordinator. */
export function workersOf({ nodes }: ShardMap): readonly CitusNode[] {
  return [...nodes].flatMap(([group, address]) =>
    address === undefined || group === coordinatorGroup ? [] : [{ group, ...address }],
  );
}

interface ShardRow {
  readonly id: string;
  readonly minHash: number;
  readonly maxHash: number;
  readonly node: number;
  /** Absent for a node that is not in the catalog. */
  readonly host: string | null;
  readonly port: number;
}

/** @param shards in the order of their hashes, without a gap */
export function createShardMap(shards: readonly Shard[]): ShardMap {
  const byId = new Map(shards.map((shard) => [shard.id, shard]));
  const maxHashes = Int32Array.from(shards, ({ maxHash }) => maxHash);
  return {
    shards,
    nodes: new Map(shards.map(({ node, address }) => [node, address])),
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

/**
 * PostgreSQL's `hashint8`, by which Citus assigns a row to a shard: a signed 32-bit integer. From `hashint8` in
 * src/backend/access/hash/hashfunc.c and `hash_bytes_uint32` in src/common/hashfn.c (PostgreSQL 15), the final mixing of Bob
 * Jenkins' lookup3 (https://burtleburtle.net/bob/c/lookup3.c, public domain).
 */
export function hashId(id: bigint): number {
  const low = Number(BigInt.asIntN(32, id));
  const high = Number(BigInt.asIntN(32, id >> 32n));
  // An id that fits into 32 bits has the hash of an `integer` of the same value.
  return hashUint32(low ^ (id >= 0n ? high : ~high));
}

/** The three words that the hash begins with, for a key of four bytes. */
const initial = (0x9e3779b9 + 4 + 3_923_095) | 0;

function hashUint32(key: number): number {
  let a = (initial + key) | 0;
  let b = initial;
  let c = initial;
  c = ((c ^ b) - rotate(b, 14)) | 0;
  a = ((a ^ c) - rotate(c, 11)) | 0;
  b = ((b ^ a) - rotate(a, 25)) | 0;
  c = ((c ^ b) - rotate(b, 16)) | 0;
  a = ((a ^ c) - rotate(c, 4)) | 0;
  b = ((b ^ a) - rotate(a, 14)) | 0;
  return ((c ^ b) - rotate(b, 24)) | 0;
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

/**
 * How often the map is read again, in milliseconds. It changes when a shard is split or moved; with an outdated map plants are
 * stored as well, only with more work for the cluster.
 */
const refreshMs = 10_000;

/** The current shards of the plants table. */
interface ShardWatch {
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
