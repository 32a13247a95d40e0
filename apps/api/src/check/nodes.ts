import type { ClientBase, QueryResultRow } from 'pg';
import type { PostgresqlLocation } from '../store/database-location.js';
import { inspectNodes, type NodeInspection } from '../store/postgresql/citus/inspect-nodes.js';
import {
  coordinatorGroup,
  nameOfNode,
  readShardMap,
  type ShardMap,
  workersOf,
} from '../store/postgresql/citus/shard-map.js';
import { findDriverError } from '../store/postgresql/errors.js';
import { hasCitus } from '../store/postgresql/open-postgresql.js';
import { failure, type Item, ok, type Result, warning } from './finding.js';

/** How the plants are distributed over the nodes of Citus, and what was found of these. */
export interface Distribution {
  readonly map: ShardMap;
  readonly inspections: readonly NodeInspection[];
}

/** Reads it; `undefined` where the plants are not distributed. */
export async function readDistribution(
  connection: ClientBase,
  location: PostgresqlLocation,
): Promise<Distribution | undefined> {
  const map = (await hasCitus(connection)) ? await readShardMap(connection) : undefined;
  return map && { map, inspections: await inspectNodes(location, workersOf(map)) };
}

/** The nodes whose settings could be read. */
export const presentNodes = (distribution: Distribution | undefined) =>
  (distribution?.inspections ?? []).filter((inspection) => 'settings' in inspection);

/** How many ids are looked at to find one on each node, which may have few. */
const idsToLookAt = 10_000n;

/** An id on each node that is not away. */
export function idsOnPresentNodes({ map, inspections }: Distribution): readonly bigint[] {
  const away = new Set(
    inspections.filter((inspection) => 'reason' in inspection).map(({ node }) => nameOfNode(node)),
  );
  const ids = new Map<string, bigint>();
  for (let id = 0n; id < idsToLookAt && ids.size < map.nodes.size; id++) {
    const name = nameOf(map, map.nodeOf(map.shardOf(id)) ?? coordinatorGroup);
    if (!ids.has(name)) ids.set(name, id);
  }
  return [...ids].flatMap(([name, id]) => (away.has(name) ? [] : [id]));
}

function nameOf(map: ShardMap, group: number): string {
  const address = map.nodes.get(group);
  return address === undefined ? `of group ${group}` : nameOfNode(address);
}

/**
 * Runs a query that returns one row.
 *
 * @throws {Error} of PostgreSQL, or when there is no row
 */
export async function queryRow<Row extends QueryResultRow>(
  connection: ClientBase,
  sql: string,
): Promise<Row> {
  const [row] = (await connection.query<Row>(sql)).rows;
  if (row === undefined) throw new Error(`PostgreSQL returned no row for ${sql}`);
  return row;
}

/** The nodes that have the plants, those that are away, and what becomes of a host that is lost. */
export const nodes: Item<{
  readonly connection: ClientBase;
  readonly distribution: Distribution | undefined;
}> = {
  name: 'nodes',
  async inspect({ connection, distribution }) {
    if (distribution === undefined) return [];
    const { map, inspections } = distribution;
    const shares = sharesOf(map);
    const away = inspections.flatMap((inspection) =>
      'reason' in inspection ? describeAway(nameOfNode(inspection.node), inspection.reason, shares) : [],
    );
    const conninfo = assessConninfo(await readConninfo(connection));
    return [assessShares(map), ...away, conninfo].filter((result) => result !== undefined);
  },
};

/** The fraction of all ids that each node has, by its name. */
function sharesOf(map: ShardMap): ReadonlyMap<string, number> {
  const shares = new Map<string, number>();
  for (const { id, node } of map.shards) {
    const name = nameOf(map, node);
    shares.set(name, (shares.get(name) ?? 0) + map.shareOf(id));
  }
  return shares;
}

const percent = (share: number) => `${Math.round(100 * share)} %`;

function describeAway(name: string, reason: string, shares: ReadonlyMap<string, number>): Result {
  // Citus gives the name alone as the reason of most.
  const why = reason.includes(name) ? '' : ` (${reason})`;
  return failure(
    `the coordinator does not reach ${name}${why}: plants with ${percent(shares.get(name) ?? 0)} of the ids cannot be stored, and none exported`,
    'Start it, or put its standby in its place by citus_update_node on the coordinator: docs/operate/citus.md, "A node is away", has the steps.',
  );
}

/** Shares are fractions, whose sum is not exact. */
const tolerance = 1e-6;

/** Warns when moving one shard from the node with the most ids to that with the fewest would make them more even. */
export function assessShares(map: ShardMap): Result {
  const shares = [...sharesOf(map)].toSorted(([, a], [, b]) => b - a);
  const list = shares.map(([name, share]) => `${name} ${percent(share)}`).join(', ');
  const found = `${map.shards.length} shards on ${shares.length} ${shares.length === 1 ? 'node' : 'nodes'}, with a part of the ids: ${list}`;
  const [largest, most = 0] = shares[0] ?? [];
  const fewest = shares.at(-1)?.[1] ?? 0;
  const ofLargest = map.shards.filter(({ node }) => nameOf(map, node) === largest);
  const smallest = Math.min(...ofLargest.map(({ id }) => map.shareOf(id)));
  if (smallest >= most - fewest - tolerance) return ok(found);
  const advice = 'Move shards, while the service runs, on the coordinator: SELECT citus_rebalance_start().';
  return warning(found, advice);
}

/** The setting of connections between nodes; `undefined` for a user who may not see it. */
async function readConninfo(connection: ClientBase): Promise<string | undefined> {
  try {
    const { conninfo } = await queryRow<{ conninfo: string | null }>(
      connection,
      `SELECT current_setting('citus.node_conninfo', true) AS conninfo`,
    );
    return conninfo ?? '';
  } catch (error) {
    if (findDriverError(error)?.code !== '42501') throw error;
    return undefined;
  }
}

/** With these a statement for a host that is lost fails after seconds; without them its session may hang until it is back. */
const timeouts = {
  tcp_user_timeout: '4000',
  keepalives_idle: '4',
  keepalives_interval: '2',
  keepalives_count: '2',
};

/** @param conninfo the value of `citus.node_conninfo`; `undefined` if it is not known */
export function assessConninfo(conninfo: string | undefined): Result | undefined {
  const missing = Object.entries(timeouts).filter(
    ([name]) => !new RegExp(`(^|\\s)${name}\\s*=\\s*[1-9]`).test(conninfo ?? ''),
  );
  if (missing.length === 0) return undefined;
  const added = missing.map(([name, value]) => `${name}=${value}`);
  if (conninfo === undefined)
    return warning(
      'this user may not see whether citus.node_conninfo ends connections to a host that is lost',
      `GRANT pg_read_all_settings TO the user for this check, or ensure as an administrator that SHOW citus.node_conninfo on the coordinator has ${added.join(' ')}.`,
    );
  const value = [conninfo, ...added].filter((part) => part !== '').join(' ');
  return warning(
    `citus.node_conninfo has no ${missing.map(([name]) => name).join(', ')}: connections to a host that is lost hang until it is back`,
    `On the coordinator ALTER SYSTEM SET citus.node_conninfo = '${value}', then SELECT pg_reload_conf().`,
  );
}
