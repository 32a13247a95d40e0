import pg, { type ClientBase, type QueryResultRow } from 'pg';
import { pathOfPage } from '../package-folder.js';
import type { PostgresqlLocation } from '../store/database-location.js';
import {
  coordinatorGroup,
  findIdOn,
  queryNode,
  readNodes,
  type ShardNode,
  shareOf,
} from '../store/postgresql/citus/nodes.js';
import {
  connectionSettings,
  queryTimeoutMs,
  type SessionSettings,
  selectSessionSettings,
  withConnection,
} from '../store/postgresql/connection.js';
import { findDriverError, isAway } from '../store/postgresql/errors.js';
import { hasCitus } from '../store/postgresql/open-postgresql.js';
import { failure, ok, type Result, type Results, warning } from './finding.js';

/** Settings of a node, as they are on the coordinator's connections to it, which store records. */
interface NodeSettings extends SessionSettings {
  /** The values of `fsync`, `full_page_writes` and `synchronous_standby_names`. */
  readonly fsync: string;
  readonly pages: string;
  readonly names: string;
  /** How many standbys or backups receive its log. */
  readonly receivers: number;
}

const selectNodeSettings = `${selectSessionSettings},
  current_setting('fsync') AS fsync, current_setting('full_page_writes') AS pages,
  current_setting('synchronous_standby_names') AS names, (SELECT count(*) FROM pg_stat_replication) AS receivers`;

/** What was found of a node: its settings, or why it is away. */
type NodeInspection = { readonly node: ShardNode } & (
  | { readonly settings: NodeSettings }
  | { readonly reason: string }
);

/** The nodes of Citus that have records, and what was found of each but the coordinator. */
export interface Distribution {
  readonly nodes: readonly ShardNode[];
  readonly inspections: readonly NodeInspection[];
}

/** Reads it; `undefined` where the records are not distributed. */
export async function readDistribution(
  connection: ClientBase,
  location: PostgresqlLocation,
): Promise<Distribution | undefined> {
  const nodes = (await hasCitus(connection)) ? await readNodes(connection) : [];
  if (nodes.length === 0) return undefined;
  const inspections: NodeInspection[] = [];
  for (const node of nodes)
    if (node.group !== coordinatorGroup) inspections.push(await inspectNode(location, node));
  return { nodes, inspections };
}

/** Each over a connection to the coordinator of its own: that of one that does not answer cannot be used any more. */
async function inspectNode(location: PostgresqlLocation, node: ShardNode): Promise<NodeInspection> {
  try {
    const settings = await withConnection(settingsOf(location), (connection) =>
      queryNode<NodeSettings>(connection, node, selectNodeSettings),
    );
    return { node, settings };
  } catch (error) {
    const driverError = findDriverError(error);
    if (driverError === undefined || !isAway(driverError)) throw error;
    return { node, reason: driverError.message };
  }
}

/**
 * The settings of the connections of the check.
 *
 * @throws {Error} when a file of a certificate cannot be read
 */
function settingsOf(location: PostgresqlLocation): pg.ClientConfig {
  return {
    ...connectionSettings(location, location.timeouts.startConnectMs),
    // The server's own timeout does not help when it is silent, or when a commit waits for a standby.
    query_timeout: queryTimeoutMs(location),
  };
}

/** @throws {Error} as `settingsOf` does */
export function createConnection(location: PostgresqlLocation): pg.Client {
  const connection = new pg.Client(settingsOf(location));
  // When a connection breaks, the query in flight fails, too.
  connection.on('error', () => undefined);
  return connection;
}

/** The nodes whose settings could be read. */
export const presentNodes = (distribution: Distribution | undefined) =>
  (distribution?.inspections ?? []).filter((inspection) => 'settings' in inspection);

/** An id on each node that is not away. */
export function findIdsOnPresentNodes({ nodes, inspections }: Distribution): readonly bigint[] {
  const away = inspections.flatMap((inspection) => ('reason' in inspection ? inspection.node : []));
  return nodes.filter((node) => !away.includes(node)).flatMap((node) => findIdOn(node) ?? []);
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

/** The nodes that have the records, those that are away, and what becomes of a host that is lost. */
export async function inspectNodes({
  connection,
  distribution,
}: {
  readonly connection: ClientBase;
  readonly distribution: Distribution | undefined;
}): Promise<Results> {
  if (distribution === undefined) return [];
  const away = distribution.inspections.flatMap((inspection) =>
    'reason' in inspection ? describeAway(inspection.node, inspection.reason) : [],
  );
  const conninfo = assessConninfo(await readConninfo(connection));
  return [assessShares(distribution.nodes), ...away, conninfo].filter((result) => result !== undefined);
}

const percent = (share: number) => `${Math.round(100 * share)} %`;

function describeAway({ name, shards }: ShardNode, reason: string): Result {
  return failure(
    `the coordinator does not reach ${name} (${reason.replace(`${name}: `, '')}): records with ${percent(shareOf(shards))} of the ids cannot be stored, and none exported`,
    `Start it, or put its standby in its place by citus_update_node on the coordinator: ${pathOfPage('docs/operate/citus.md')}, "A node is away", has the steps.`,
  );
}

/** Shares are fractions, whose sum is not exact. */
const tolerance = 1e-6;

/** Warns when moving one shard from the node with the most ids to that with the fewest would make them more even. */
export function assessShares(nodes: readonly ShardNode[]): Result {
  const shares = nodes.map(({ name, shards }) => ({ name, shards, share: shareOf(shards) }));
  const sorted = shares.toSorted((a, b) => b.share - a.share);
  const list = sorted.map(({ name, share }) => `${name} ${percent(share)}`).join(', ');
  const count = nodes.reduce((sum, { shards }) => sum + shards.length, 0);
  const found = `${count} shards on ${nodes.length} ${nodes.length === 1 ? 'node' : 'nodes'}, with a part of the ids: ${list}`;
  const [most, fewest] = [sorted[0], sorted.at(-1)];
  const smallest = Math.min(...(most?.shards ?? []).map((shard) => shareOf([shard])));
  if (!most || !fewest || smallest >= most.share - fewest.share - tolerance) return ok(found);
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
