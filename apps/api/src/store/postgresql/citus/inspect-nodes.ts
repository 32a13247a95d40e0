import pg, { type ClientBase, type Pool } from 'pg';
import { OperatorError } from '../../../errors/operator-error.js';
import type { DatabaseLog } from '../../database.js';
import type { PostgresqlLocation } from '../../database-location.js';
import { connectionSettings, endConnection, queryTimeoutMs, suppressesWarnings } from '../connection.js';
import { findDriverError, isAway } from '../errors.js';
import { type CitusNode, type NodeAddress, nameOfNode, type ShardMap, workersOf } from './shard-map.js';

/** What was found of a node: its settings, or why it is away. */
export type NodeInspection = { readonly node: NodeAddress } & (
  | { readonly settings: NodeSettings }
  | { readonly reason: string }
);

/**
 * Inspects nodes one after the other, over a connection to the coordinator for each: that of one that does not answer
 * cannot be used any more.
 */
export async function inspectNodes(
  location: PostgresqlLocation,
  nodes: readonly CitusNode[],
): Promise<readonly NodeInspection[]> {
  const found: NodeInspection[] = [];
  for (const node of nodes) found.push(await inspectNode(location, node));
  return found;
}

async function inspectNode(location: PostgresqlLocation, node: CitusNode): Promise<NodeInspection> {
  const connection = new pg.Client({
    ...connectionSettings(location, location.timeouts.startConnectMs),
    query_timeout: queryTimeoutMs(location),
  });
  // When a connection breaks, the query in flight fails, too.
  connection.on('error', () => undefined);
  try {
    await connection.connect();
    return { node, settings: await readNodeSettings(connection, node) };
  } catch (error) {
    const driverError = findDriverError(error);
    if (driverError === undefined || !isAway(driverError)) throw error;
    return { node, reason: driverError.message };
  } finally {
    await endConnection(connection);
  }
}

/** Why a node is away, with its name, which Citus gives in most reasons. */
function describeReason({ node, reason }: Extract<NodeInspection, { readonly reason: string }>): string {
  const name = nameOfNode(node);
  return reason.includes(name) ? reason : `${name}: ${reason}`;
}

/**
 * Checks at the start that the nodes commit durably, and warns of those that are away.
 *
 * @throws {OperatorError} when one does not, with what to do
 */
export async function requireDurableNodes(
  location: PostgresqlLocation,
  map: ShardMap,
  log: DatabaseLog,
): Promise<void> {
  for (const inspection of await inspectNodes(location, workersOf(map))) {
    if ('settings' in inspection) {
      requireDurable(inspection.settings, inspection.node);
      continue;
    }
    const err = new Error(describeReason(inspection));
    log.warn({ err }, 'a node of the database is away');
  }
}

/**
 * Settings of a worker node, as they are on the connections of the coordinator to it, which store plants. What the service
 * sets on its own connections does not reach those.
 */
export interface NodeSettings {
  /** The value of `synchronous_commit`. */
  readonly commits: string;
  /** The value of `client_min_messages`. */
  readonly messages: string;
  /** The value of `fsync`. */
  readonly fsync: string;
  /** The value of `full_page_writes`. */
  readonly pages: string;
  /** The value of `synchronous_standby_names`. */
  readonly names: string;
  /** How many standbys or backups receive its log. */
  readonly receivers: number;
}

const selectSettings = `
  SELECT json_build_object(
    'commits', current_setting('synchronous_commit'), 'messages', current_setting('client_min_messages'),
    'fsync', current_setting('fsync'), 'pages', current_setting('full_page_writes'),
    'names', current_setting('synchronous_standby_names'),
    'receivers', (SELECT count(*) FROM pg_stat_replication))`;

/** The address is read again, since a standby may have taken the place of the node. */
const runOnNode = `
  SELECT success, result FROM pg_catalog.pg_dist_node,
    master_run_on_worker(ARRAY[nodename], ARRAY[nodeport], ARRAY[$2], false)
  WHERE groupid = $1 AND noderole = 'primary'`;

/**
 * Reads the settings of a node.
 *
 * @param connection to the coordinator
 * @throws {Error} as one of the server, when the coordinator does not reach the node, or the node does not answer
 */
export async function readNodeSettings(
  connection: Pick<ClientBase | Pool, 'query'>,
  node: CitusNode,
): Promise<NodeSettings> {
  const { rows } = await connection
    .query<{ success: boolean; result: string }>(runOnNode, [node.group, selectSettings])
    .catch((error: unknown) => {
      // 57014 is query_canceled, by its timeout.
      if (findDriverError(error)?.code !== '57014') throw error;
      throw unreached('57014', `${nameOfNode(node)} does not answer`, error);
    });
  const { success, result } = rows[0] ?? {
    success: false,
    result: `${nameOfNode(node)} is no node any more`,
  };
  if (success) return JSON.parse(result);
  // 08006 is connection_failure, as for a statement that needs this node.
  throw unreached('08006', result);
}

/** An error as the driver throws those of the server. */
function unreached(code: string, message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { severity: 'ERROR', code });
}

/** Why a plant may be lost although its statement on a node has succeeded, and what to do; `undefined` if it may not. */
export function findUndurable(
  { commits, messages }: NodeSettings,
  node: NodeAddress,
): { readonly found: string; readonly advice: string } | undefined {
  const name = nameOfNode(node);
  if (commits === 'off')
    return {
      found: `commits on its node ${name} do not wait for the disk (synchronous_commit = off)`,
      advice: adviseToSet('synchronous_commit = on'),
    };
  if (suppressesWarnings(messages))
    return {
      found: `its node ${name} sends no warnings (client_min_messages), one of which reports that a commit did not wait for its standby`,
      advice: adviseToSet('client_min_messages = warning'),
    };
  return undefined;
}

function adviseToSet(setting: string): string {
  return `Set it for the user, on the coordinator while all nodes run: ALTER ROLE … SET ${setting}. Then start the service again.`;
}

/**
 * Checks that plants on a node are on its disk, and on its synchronous standby, when its statement has succeeded.
 *
 * @throws {OperatorError} otherwise, with what to do
 */
export function requireDurable(settings: NodeSettings, node: NodeAddress): void {
  const undurable = findUndurable(settings, node);
  if (undurable === undefined) return;
  throw new OperatorError(`The database cannot be used: ${undurable.found}. ${undurable.advice}`);
}
