import type { ClientBase } from 'pg';
import { OperatorError } from '../../../errors/operator-error.js';
import { findDriverError, isCanceled } from '../errors.js';
import { hasCitus } from '../open-postgresql.js';
import { readNodeSettings, requireDurable } from './node-settings.js';
import { type CitusNode, coordinatorGroup, type NodeAddress, nameOfNode } from './shard-map.js';

/** How a table is distributed. */
export interface TableDistribution {
  readonly shards: number;
  /** How many nodes have any of them. */
  readonly nodes: number;
}

/**
 * Counts the nodes that may have shards (https://docs.citusdata.com/en/stable/develop/api_metadata.html). It reads the
 * catalog alone, so a node that is away counts, too: see `checkNodes`.
 *
 * @returns at least 1
 * @throws {OperatorError} without the extension Citus, on a node other than the coordinator, and without such nodes
 */
export async function countShardNodes(connection: ClientBase): Promise<number> {
  if (!(await hasCitus(connection))) {
    throw impossible(
      "the database has no extension Citus. Install it on all nodes (shared_preload_libraries = 'citus'), and let an administrator run CREATE EXTENSION citus in this database on each",
    );
  }
  const { rows } = await connection.query<{ isCoordinator: boolean; nodes: number }>(`
    SELECT NOT EXISTS (SELECT FROM pg_catalog.pg_dist_local_group WHERE groupid <> 0) AS "isCoordinator",
      (SELECT count(*)::int FROM pg_catalog.pg_dist_node
       WHERE noderole = 'primary' AND isactive AND shouldhaveshards) AS nodes`);
  const [cluster = { isCoordinator: false, nodes: 0 }] = rows;
  if (!cluster.isCoordinator)
    throw impossible('DATABASE_URL names a worker node of Citus. Name the coordinator');
  if (cluster.nodes === 0) {
    throw impossible(
      "no node of the Citus cluster may have shards. Let an administrator add worker nodes on the coordinator: SELECT citus_add_node('host', 5432). Or let the coordinator have shards: SELECT citus_set_node_property('host', 5432, 'shouldhaveshards', true)",
    );
  }
  return cluster.nodes;
}

/**
 * Checks that the coordinator reaches all nodes, since a node that is away fails each change of the tables, and that worker nodes
 * commit durably.
 *
 * @throws {OperatorError} with the addresses of the nodes that it does not reach, or with what to do on one
 */
export async function checkNodes(connection: ClientBase): Promise<void> {
  const { rows } = await connection.query<CitusNode>(`
    SELECT nodename AS host, nodeport AS port, groupid AS "group" FROM pg_catalog.pg_dist_node
    WHERE isactive AND noderole = 'primary' AND (groupid <> 0 OR shouldhaveshards) ORDER BY host, port`);
  const away: string[] = [];
  for (const node of rows) {
    if (!(await isReached(connection, node))) away.push(nameOfNode(node));
  }
  if (away.length > 0) {
    throw impossible(
      `the coordinator cannot connect to ${away.join(', ')}. All nodes must run and accept its connections, which SELECT * FROM citus_check_cluster_node_health() shows. Run the command again once they do`,
    );
  }
  for (const node of rows) {
    if (node.group !== coordinatorGroup) requireDurable(await readNodeSettings(connection, node), node);
  }
}

/** A host that does not answer at all costs the timeout of a statement. */
async function isReached(connection: ClientBase, { host, port }: NodeAddress): Promise<boolean> {
  try {
    const { rows } = await connection.query<{ isReached: boolean }>(
      'SELECT citus_check_connection_to_node($1, $2) AS "isReached"',
      [host, port],
    );
    return rows[0]?.isReached === true;
  } catch (error) {
    const driverError = findDriverError(error);
    if (driverError !== undefined && isCanceled(driverError)) return false;
    throw error;
  }
}

/**
 * How `plants` is distributed; `undefined` for a table on the coordinator alone.
 *
 * @throws {OperatorError} when it is distributed in another way than by the hash of the id
 */
export async function readDistribution(connection: ClientBase): Promise<TableDistribution | undefined> {
  const { rows } = await connection.query<TableDistribution & { isLocal: boolean; isById: boolean }>(`
    SELECT partmethod = 'n' AND repmodel = 's' AS "isLocal",
      partmethod = 'h' AND column_to_column_name(logicalrelid, partkey) = 'id' AS "isById",
      count(DISTINCT shardid)::int AS shards, count(DISTINCT groupid)::int AS nodes
    FROM pg_catalog.pg_dist_partition
    LEFT JOIN pg_catalog.pg_dist_shard USING (logicalrelid) LEFT JOIN pg_catalog.pg_dist_placement USING (shardid)
    WHERE logicalrelid = to_regclass('plants')
    GROUP BY logicalrelid, partmethod, repmodel, partkey`);
  const [table] = rows;
  if (table === undefined || table.isLocal) return undefined;
  if (!table.isById) {
    throw impossible(
      "the table plants is a reference table, or distributed in another way than by the hash of its id. Undo that, while no instance runs: SELECT undistribute_table('plants')",
    );
  }
  return { shards: table.shards, nodes: table.nodes };
}

/**
 * Checks that the table has none of the triggers that Citus does not support.
 *
 * @throws {OperatorError} with the names of the triggers
 */
export async function checkTriggers(connection: ClientBase): Promise<void> {
  const { rows } = await connection.query<{ name: string }>(
    `SELECT quote_ident(tgname) AS name FROM pg_catalog.pg_trigger
     WHERE tgrelid = to_regclass('plants') AND NOT tgisinternal ORDER BY tgname`,
  );
  if (rows.length === 0) return;
  const names = rows.map(({ name }) => name).join(', ');
  throw impossible(
    `the table plants has triggers, which a distributed table cannot have: ${names}. The service needs none; remove each with DROP TRIGGER … ON plants`,
  );
}

/** An error that stands before any change of the table. */
export function impossible(reason: string): OperatorError {
  return new OperatorError(`The plants cannot be distributed: ${reason}. They were not changed.`);
}
