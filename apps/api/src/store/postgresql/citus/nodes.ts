import type { ClientBase, Pool } from 'pg';
import { OperatorError } from '../../../errors/operator-error.js';
import { withTimeout } from '../../../runtime/timing.js';
import { type DatabaseLog, databaseUnavailable } from '../../database.js';
import { allTables, type Table } from '../../table.js';
import { findUndurable, type SessionSettings, selectSessionSettings } from '../connection.js';
import { findDriverError } from '../errors.js';
import { probeCommit } from '../probe-commit.js';

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

/** How long a check may take after a failure, and how often nodes that are away are checked, in milliseconds; every tenth time all are. */
const checkMs = 1_000;
/** How long those may take that no failure has caused: on a busy cluster they wait for a connection. */
const slowCheckMs = 10_000;
/** The most of the ids that a ready service cannot store; fractions are not exact. */
const maxAway = 0.5 + 1e-9;

export type NodeWatch = Awaited<ReturnType<typeof watchNodes>>;

/**
 * Watches which nodes are away: those whose latest check has failed. One that would acknowledge a record before it is on its disk is
 * away until the end: for minutes the coordinator keeps connections that have the former settings.
 *
 * @throws {OperatorError} when there is one of the latter already
 */
export async function watchNodes(
  pool: Pick<Pool, 'query'>,
  log: Pick<DatabaseLog, 'info' | 'warn'>,
  tables: readonly Table[] = allTables,
) {
  let nodes = await readNodes(pool, tables);
  const problems = new Map<number | undefined, Error>();
  const checks = new Map<number, Promise<void>>();

  /** The fraction of all ids that are on nodes that are away, from 0 to 1. */
  const failingShare = () =>
    nodes.reduce((sum, { group, shards }) => sum + (problems.has(group) ? shareOf(shards) : 0), 0);

  function setProblem({ group }: ShardNode, err: Error): void {
    const wasDegraded = failingShare() > 0;
    problems.set(group, err);
    if (!wasDegraded) log.warn({ failingShare: failingShare(), err }, 'degraded');
  }

  async function checkNode(node: ShardNode): Promise<void> {
    try {
      await requireDurable(pool, node);
      const id = findIdOn(node);
      if (id !== undefined) await probeCommit(pool, id, tables);
      if (problems.delete(node.group) && failingShare() === 0) log.info({}, 'no longer degraded');
    } catch (error) {
      // A check that cannot run shows nothing about a node: it may lack a free connection.
      const isOfNode = error instanceof OperatorError || findDriverError(error)?.code !== undefined;
      if (isOfNode && error instanceof Error) setProblem(node, error);
    }
  }

  /** A node has one check at a time. Resolves once it has ended, or has taken too long: then the node is away, too. */
  async function checkOnce(node: ShardNode, withinMs = checkMs): Promise<void> {
    const { group, name } = node;
    if (problems.get(group) instanceof OperatorError) return;
    const check = checks.get(group) ?? checkNode(node).finally(() => checks.delete(group));
    checks.set(group, check);
    await withTimeout(check, withinMs, () => setProblem(node, new Error(`${name} does not answer`)));
  }

  const checkAll = (withinMs?: number) => Promise.all(nodes.map((node) => checkOnce(node, withinMs)));
  await checkAll(slowCheckMs);
  for (const problem of problems.values()) if (problem instanceof OperatorError) throw problem;
  let ticks = 0;
  const timer = setInterval(async () => {
    const isTenth = ++ticks % 10 === 0;
    // A coordinator that does not answer is noticed by what needs it.
    if (isTenth) nodes = await readNodes(pool, tables).catch(() => nodes);
    for (const node of nodes) if (isTenth || problems.has(node.group)) void checkOnce(node, slowCheckMs);
  }, checkMs).unref();
  return {
    failingShare,
    checkAll,
    locate: (id: bigint) => locate(nodes, id),
    /** Why a node is sent nothing, if it is away. */
    refusalOf(group: number | undefined) {
      const problem = problems.get(group);
      return problem && databaseUnavailable(problem);
    },
    /** @throws {ServiceError} why less than half of the ids can be stored */
    requireEnough() {
      const [problem] = problems.values();
      if (problem && failingShare() > maxAway) throw databaseUnavailable(problem);
    },
    close: () => clearInterval(timer),
  };
}
