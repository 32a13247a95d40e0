import pg, { type ClientBase } from 'pg';
import { OperatorError } from '../../../errors/operator-error.js';
import { retry } from '../../../runtime/timing.js';
import type { PostgresqlLocation } from '../../database-location.js';
import { connectionSettings, endConnection } from '../connection.js';
import { findDriverError } from '../errors.js';
import {
  isLockTimeout,
  lockTimeoutMs,
  migrationLock,
  migrationTimeoutMs,
  retryDelayMs,
} from '../migrate-postgresql.js';
import { explainOpening, hasCitus } from '../open-postgresql.js';
import { type CitusNode, coordinatorGroup, findUndurable, readNodeSettings } from './nodes.js';

/**
 * Checks that the database is the coordinator of a Citus cluster with nodes for shards, all of them running.
 *
 * @throws {OperatorError} otherwise, or when it cannot be reached
 */
export async function requireCluster(location: PostgresqlLocation): Promise<void> {
  await withConnection(location, async (connection) => {
    await countShardNodes(connection);
    await checkNodes(connection);
  });
}

/** See `distributePlants`; it opens a connection for that. */
export function distributePostgresql(
  location: PostgresqlLocation,
  shards: number | undefined,
): Promise<Distribution> {
  return withConnection(location, async (connection) => {
    try {
      return await distributePlants(connection, shards);
    } catch (error) {
      throw explain(error);
    }
  });
}

async function withConnection<Result>(
  location: PostgresqlLocation,
  action: (connection: pg.ClientBase) => Promise<Result>,
): Promise<Result> {
  const connection = new pg.Client(connectionSettings(location, location.timeouts.startConnectMs));
  // When a connection breaks, the query in flight fails, too.
  connection.on('error', () => undefined);
  try {
    await connection.connect();
    return await action(connection);
  } catch (error) {
    throw explainOpening(error, location);
  } finally {
    await endConnection(connection);
  }
}

/** An error of the server has rolled everything back; after one of the connection, the outcome is not known. */
function explain(error: unknown): unknown {
  const serverError = findDriverError(error);
  if (serverError === undefined) return error;
  const { code, message } = serverError;
  if (code === undefined) {
    return new OperatorError(
      `The connection broke while the plants were being distributed: ${message}. They are distributed completely or not at all. Run the command again, which shows or completes it.`,
      { cause: error },
    );
  }
  const details = error instanceof pg.DatabaseError && error.detail ? ` ${error.detail}` : '';
  return new OperatorError(
    `The plants were not distributed: ${message} (${code}).${details} ${adviseOn(code, error)} They are stored and used as before.`,
    { cause: error },
  );
}

function adviseOn(code: string, error: unknown): string {
  if (isLockTimeout(error))
    return `Another program has locked the table for ${migrationTimeoutMs / 1_000} seconds, such as a transaction that was left open (see pg_stat_activity). Run the command again once it has ended.`;
  if (code === '42501')
    return 'Only the owner of the table plants may distribute it: run the command with the owner in DATABASE_URL.';
  if (code.startsWith('08'))
    return 'All nodes must run and accept the connections of the coordinator. Run the command again once they do.';
  return 'Once what it names is solved, run the command again.';
}

/** How the plants are distributed. */
interface Distribution extends TableDistribution {
  /** How many plants were moved to the shards; `undefined` when they were distributed before. */
  readonly moved: bigint | undefined;
}

/** A statement inserts shard by shard, so each costs a step. docs/operate/citus.md has the figures. */
const shardsPerNode = 2;
/** Enough for a second worker node to get half of them. */
const fewestShards = 4;

/** The number of shards for so many nodes, where none is given: 2 for each node, and at least 4. */
export function defaultShards(nodes: number): number {
  return Math.max(fewestShards, shardsPerNode * nodes);
}

const lockPolicy = { timeoutMs: migrationTimeoutMs, delayMs: retryDelayMs };

/**
 * Makes `plants` a table that is distributed by id on a Citus cluster, in one transaction, and removes the copy that stays on
 * the coordinator. Inserts wait for the transaction; reads do not. A table that another program has locked is retried for a
 * minute. When it fails, the caller closes the connection, which rolls back.
 *
 * @throws {OperatorError} when the table cannot be distributed, or is distributed over another number of shards than asked for
 */
export async function distributePlants(
  connection: ClientBase,
  shards: number | undefined,
): Promise<Distribution> {
  const count = shards ?? defaultShards(await countShardNodes(connection));
  const moved = await retry(() => moveToShards(connection, count), isLockTimeout, lockPolicy);
  const table = await readDistribution(connection);
  if (table === undefined) throw impossible('another program has undone it meanwhile');
  if (moved === undefined && shards !== undefined && shards !== table.shards)
    throw otherShards(table, shards);
  await removeLocalCopy(connection);
  return { ...table, moved };
}

/** Distributes the table, and returns how many plants it has; `undefined` if it is distributed already. */
async function moveToShards(connection: ClientBase, shards: number): Promise<bigint | undefined> {
  await connection.query(`BEGIN; SET LOCAL statement_timeout = ${migrationTimeoutMs}`);
  try {
    // Of two commands at the same time, the second one finds the table distributed.
    await connection.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
    if ((await readDistribution(connection)) !== undefined) {
      await connection.query('ROLLBACK');
      return undefined;
    }
    await checkTriggers(connection);
    await connection.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
    await connection.query('LOCK TABLE plants IN EXCLUSIVE MODE');
    // The copy of a large store takes hours.
    await connection.query('SET LOCAL statement_timeout = 0');
    const before = await countPlants(connection);
    await connection.query(
      `SELECT create_distributed_table('plants', 'id', shard_count => $1, colocate_with => 'none')`,
      [shards],
    );
    const after = await countPlants(connection);
    if (after !== before) throw impossible(`its shards would have ${after} of ${before} plants`);
    await connection.query('COMMIT');
    return after;
  } catch (error) {
    // Once the connection is broken, the server rolls back by itself.
    await connection.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

async function countPlants(connection: ClientBase): Promise<bigint> {
  const { rows } = await connection.query<{ plants: string }>('SELECT count(*) AS plants FROM plants');
  return BigInt(rows[0]?.plants ?? 0);
}

function otherShards({ shards }: TableDistribution, wanted: number): OperatorError {
  const how =
    wanted > shards
      ? 'Split shards one by one while the service runs: SELECT citus_split_shard_by_split_points(…)'
      : `Reads and inserts wait while all plants are copied: SELECT alter_distributed_table('plants', shard_count => ${wanted})`;
  return new OperatorError(
    `The plants are distributed already, over ${shards} shards, which this command does not change to ${wanted}. ${how}. docs/operate/citus.md has the steps.`,
  );
}

/**
 * Frees the disk space of the rows that the table had on the coordinator, which nothing reads any more. It needs a moment
 * without any reader, so it has a transaction of its own: a long export must not undo the move.
 */
async function removeLocalCopy(connection: ClientBase): Promise<void> {
  const { rows } = await connection.query<{ hasCopy: boolean }>(`
    SELECT COALESCE(sum(pg_relation_size(oid)), 0) > 0 AS "hasCopy" FROM pg_catalog.pg_class
    WHERE oid = to_regclass('plants')
      OR oid IN (SELECT inhrelid FROM pg_catalog.pg_inherits WHERE inhparent = to_regclass('plants'))`);
  if (!rows[0]?.hasCopy) return;
  try {
    await retry(() => truncateLocalCopy(connection), isLockTimeout, lockPolicy);
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    throw new OperatorError(
      'The plants are distributed, but the former copy still takes disk space on the coordinator, since another program has read the table for a minute, such as a dump. Run the command again once it has ended, which removes the copy.',
      { cause: error },
    );
  }
}

async function truncateLocalCopy(connection: ClientBase): Promise<void> {
  await connection.query(`BEGIN; SET LOCAL lock_timeout = ${lockTimeoutMs}`);
  try {
    await connection.query(`SELECT truncate_local_data_after_distributing_table('plants')`);
    await connection.query('COMMIT');
  } catch (error) {
    await connection.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** How a table is distributed. */
interface TableDistribution {
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
async function countShardNodes(connection: ClientBase): Promise<number> {
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
async function checkNodes(connection: ClientBase): Promise<void> {
  const { rows } = await connection.query<Pick<CitusNode, 'group' | 'name'>>(`
    SELECT groupid AS "group", nodename || ':' || nodeport AS name FROM pg_catalog.pg_dist_node
    WHERE isactive AND noderole = 'primary' AND (groupid <> 0 OR shouldhaveshards) ORDER BY name`);
  const away: string[] = [];
  for (const node of rows) {
    const settings = await readNodeSettings(connection, node).catch(() => away.push(node.name));
    if (typeof settings === 'number' || node.group === coordinatorGroup) continue;
    const undurable = findUndurable(settings, node.name);
    if (undurable) throw impossible(`${undurable.found}. ${undurable.advice}`);
  }
  if (away.length === 0) return;
  throw impossible(
    `the coordinator cannot connect to ${away.join(', ')}. All nodes must run and accept its connections, which SELECT * FROM citus_check_cluster_node_health() shows. Run the command again once they do`,
  );
}

/**
 * How `plants` is distributed; `undefined` for a table on the coordinator alone.
 *
 * @throws {OperatorError} when it is distributed in another way than by the hash of the id
 */
async function readDistribution(connection: ClientBase): Promise<TableDistribution | undefined> {
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
async function checkTriggers(connection: ClientBase): Promise<void> {
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
function impossible(reason: string): OperatorError {
  return new OperatorError(`The plants cannot be distributed: ${reason}. They were not changed.`);
}
