import type { ClientBase, Pool } from 'pg';
import { OperatorError } from '../../../errors/operator-error.js';
import { allTables, type Table } from '../../table.js';
import { findUndurable, type SessionSettings, selectSessionSettings } from '../connection.js';
import { findDriverError } from '../errors.js';

type Coordinator = Pick<ClientBase | Pool, 'query'>;

/** The group of the coordinator. */
export const coordinatorGroup = 0;

/** A node of Citus: the number that it shares with its standbys, and its address, `host:port`, as the coordinator reaches it. */
export interface CitusNode {
  readonly group: number;
  readonly name: string;
}

/** A shard of the tables: the least and the greatest hash of its ids, and the group of the node that it is on. */
export interface Shard {
  readonly group: number;
  readonly min: number;
  readonly max: number;
}

/** A node that has shards. */
export interface ShardNode extends CitusNode {
  readonly shards: readonly Shard[];
}

/** The fraction of all ids that shards have, from 0 to 1. */
export const shareOf = (shards: readonly Shard[]) =>
  shards.reduce((sum, { min, max }) => sum + (max - min + 1) / 2 ** 32, 0);

/**
 * Reads which nodes have shards (https://docs.citusdata.com/en/stable/develop/api_metadata.html); none where the first table is not
 * distributed by the hash of the id. The shards of all other tables are on the same nodes as its own. It reads the catalog alone, so it
 * works while nodes are away.
 */
export async function readNodes(
  coordinator: Coordinator,
  [table]: readonly Pick<Table, 'name'>[] = allTables,
): Promise<readonly ShardNode[]> {
  const { rows } = await coordinator.query<ShardNode>(
    `
    SELECT groupid AS "group", coalesce(min(nodename || ':' || nodeport), 'of group ' || groupid) AS name,
      json_agg(json_build_object('group', groupid, 'min', shardminvalue::int, 'max', shardmaxvalue::int)) AS shards
    FROM pg_catalog.pg_dist_shard JOIN pg_catalog.pg_dist_partition USING (logicalrelid)
    JOIN pg_catalog.pg_dist_placement USING (shardid) LEFT JOIN pg_catalog.pg_dist_node USING (groupid)
    WHERE logicalrelid = to_regclass($1) AND partmethod = 'h' AND column_to_column_name(logicalrelid, partkey) = 'id'
      AND (noderole IS NULL OR noderole = 'primary')
    GROUP BY groupid ORDER BY groupid`,
    [table?.name],
  );
  return rows;
}

/** The shard that has an id, as the catalog had it: Citus itself decides where a record is stored. */
export function locate(nodes: readonly ShardNode[], id: bigint): Shard | undefined {
  const hash = hashId(id);
  for (const { shards } of nodes)
    for (const shard of shards) if (shard.min <= hash && hash <= shard.max) return shard;
  return undefined;
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

const rotate = (word: number, bits: number) => (word << bits) | (word >>> (32 - bits));

/** An id on a node that no record should have: one of the lowest; `undefined` if it has none of these. */
export function findIdOn(node: ShardNode): bigint | undefined {
  const lowest = Array.from({ length: 1_000 }, (_, index) => BigInt(index) - 2n ** 63n);
  return lowest.find((id) => locate([node], id) !== undefined);
}

/**
 * Runs a query that returns one row on a node, over a connection of the coordinator as those that store records.
 *
 * @throws {Error} as one of the server, when the coordinator does not reach the node, or the node does not answer
 */
export async function queryNode<Row>(
  coordinator: Coordinator,
  { group, name }: CitusNode,
  sql: string,
): Promise<Row> {
  // The address is read again, since a standby may have taken the place of the node.
  const asked = coordinator.query<{ success: boolean; result: string }>(
    `SELECT success, result FROM pg_catalog.pg_dist_node,
       master_run_on_worker(ARRAY[nodename], ARRAY[nodeport], ARRAY[$2], false)
     WHERE groupid = $1 AND noderole = 'primary'`,
    [group, `SELECT row_to_json(answer) FROM (${sql}) AS answer`],
  );
  const { rows } = await asked.catch((error: unknown) => {
    // query_canceled, by its timeout
    if (findDriverError(error)?.code !== '57014') throw error;
    return { rows: [{ success: false, result: 'does not answer' }] };
  });
  const { success, result } = rows[0] ?? { success: false, result: 'is no node any more' };
  if (success) return JSON.parse(result);
  // connection_failure, as for a statement that needs this node
  throw Object.assign(new Error(`${name}: ${result}`), { severity: 'ERROR', code: '08006' });
}

/** Checks that a node stores records durably. @throws {OperatorError} if it does not, and as `queryNode` does */
export async function requireDurable(coordinator: Coordinator, node: CitusNode): Promise<void> {
  // What the coordinator stores itself is committed as the service has set it for its own connections.
  if (node.group === coordinatorGroup) return;
  const settings = await queryNode<SessionSettings>(coordinator, node, selectSessionSettings);
  const undurable = findUndurable(settings, ` on its node ${node.name}`);
  if (undurable !== undefined)
    throw new OperatorError(
      `The database cannot be used: ${undurable.found}. ${undurable.advice} Then start the service again.`,
    );
}
