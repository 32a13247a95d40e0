import pg from 'pg';
import type { DatabaseLog } from '../../database.js';
import type { PostgresqlLocation } from '../../database-location.js';
import { connectionSettings, endConnection, queryTimeoutMs } from '../connection.js';
import { findDriverError, isAway } from '../errors.js';
import { type NodeSettings, readNodeSettings, requireDurable } from './node-settings.js';
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
