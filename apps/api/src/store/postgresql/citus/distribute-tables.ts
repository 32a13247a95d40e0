import pg, { type ClientBase } from 'pg';
import { messageOf, OperatorError } from '../../../errors/operator-error.js';
import { pathOfPage } from '../../../package-folder.js';
import type { PostgresqlLocation } from '../../database-location.js';
import { allTables, type Table } from '../../table.js';
import { connectionSettings, withConnection } from '../connection.js';
import { changeTables } from '../migrate-postgresql.js';
import { negotiate } from '../negotiate.js';
import { explainOpening, hasCitus } from '../open-postgresql.js';
import { type CitusNode, readNodes, requireDurable } from './nodes.js';

/**
 * Checks that the database is the coordinator of a Citus cluster with nodes for shards, all of them running and durable.
 *
 * @throws {OperatorError} otherwise, or when it cannot be reached
 */
export async function requireCluster(location: PostgresqlLocation): Promise<void> {
  try {
    await withConnection(await settingsOf(location), async (connection) => {
      for (const node of await readShardNodes(connection)) await requireDurable(connection, node);
    });
  } catch (error) {
    throw explainOpening(error, location);
  }
}

/** See `distributeTables`; it opens a connection for that. @throws {OperatorError} with what to do */
export async function distributePostgresql(location: PostgresqlLocation, shards: number | undefined) {
  try {
    return await withConnection(await settingsOf(location), (connection) =>
      distributeTables(connection, shards),
    );
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    const { detail, hint } = error instanceof pg.DatabaseError ? error : {};
    const reason = [`${messageOf(error)}.`, detail, hint].filter(Boolean).join(' ');
    throw new OperatorError(
      `The tables could not be distributed: ${reason}\nThey are distributed completely or not at all. Run the command again once that is solved, which completes or shows it.`,
      { cause: error },
    );
  }
}

const settingsOf = async (location: PostgresqlLocation) =>
  connectionSettings(await negotiate(location), location.timeouts.startConnectMs);

/** The number of shards where none is given: each costs a step of a statement, and a second node should get half of them. */
export const defaultShards = (nodes: number) => Math.max(4, 2 * nodes);

/**
 * Distributes the tables of all resources by id on a Citus cluster, each with the same shards, in one transaction for which inserts wait,
 * and removes the copies that stay on the coordinator.
 *
 * @returns over how many shards and nodes, and how many records were moved there; `undefined` when all were distributed before
 * @throws {OperatorError} when they are distributed over another number of shards than asked for, or stay locked
 */
export async function distributeTables(
  connection: ClientBase,
  shards: number | undefined,
  tables: readonly Table[] = allTables,
) {
  for (const table of tables) await removeHistory(connection, table);
  const moved = await changeTables(connection, () => moveToShards(connection, shards, tables));
  const nodes = await readNodes(connection, tables);
  const count = nodes.reduce((sum, node) => sum + node.shards.length, 0);
  if (shards !== undefined && shards !== count)
    throw new OperatorError(
      `The tables are distributed already, over ${count} shards, which this command does not change. ${pathOfPage('docs/operate/citus.md')} has the steps to split shards, or to have fewer.`,
    );
  for (const { name } of tables) await removeLocalCopy(connection, name);
  return { shards: count, nodes: nodes.length, moved };
}

/** Distributes the tables that are not, and returns how many records these have; `undefined` if there are none. */
async function moveToShards(
  connection: ClientBase,
  shards: number | undefined,
  tables: readonly Table[],
): Promise<bigint | undefined> {
  // Of two commands at the same time, the second one finds the tables distributed.
  const local: Table[] = [];
  for (const table of tables) if ((await readNodes(connection, [table])).length === 0) local.push(table);
  if (local.length === 0) return undefined;
  await connection.query(`LOCK TABLE ${local.map(({ name }) => name).join(', ')} IN EXCLUSIVE MODE`);
  // The copy of a large store takes hours.
  await connection.query('SET LOCAL statement_timeout = 0');
  let moved = 0n;
  for (const table of local) moved += await moveTable(connection, table, shards, tables[0]);
  return moved;
}

/** Distributes a table, with the shards of the first one, and returns how many records it has. */
async function moveTable(
  connection: ClientBase,
  { name }: Table,
  shards: number | undefined,
  first: Table | undefined,
): Promise<bigint> {
  const countRecords = async () =>
    BigInt((await connection.query(`SELECT count(*) AS records FROM ${name}`)).rows[0].records);
  const before = await countRecords();
  if (name === first?.name) {
    const count = shards ?? defaultShards((await readShardNodes(connection)).length);
    await connection.query(
      `SELECT create_distributed_table('${name}', 'id', shard_count => $1, colocate_with => 'none')`,
      [count],
    );
  } else
    await connection.query(
      `SELECT create_distributed_table('${name}', 'id', colocate_with => '${first?.name}')`,
    );
  const after = await countRecords();
  if (after !== before) throw new Error(`the shards would have ${after} of ${before} ${name}`);
  return after;
}

/** Citus distributes no table with a trigger. To drop it needs a moment without any reader, too. */
async function removeHistory(connection: ClientBase, { name, states }: Table): Promise<void> {
  const { rows } = await connection.query(
    'SELECT FROM pg_trigger WHERE tgrelid = $1::regclass AND tgname = $2',
    [name, `keep_${states}`],
  );
  if (rows.length > 0)
    await changeTables(connection, () =>
      connection.query(`DROP TRIGGER IF EXISTS keep_${states} ON ${name}; DELETE FROM ${states}`),
    );
}

/** It needs a moment without any reader, so it has a transaction of its own: a long export must not undo the move. */
async function removeLocalCopy(connection: ClientBase, table: string): Promise<void> {
  const { rows } = await connection.query<{ hasCopy: boolean }>(`
    SELECT sum(pg_relation_size(relid)) > 0 AS "hasCopy"
    FROM (SELECT to_regclass('${table}') AS relid UNION SELECT relid FROM pg_partition_tree('${table}')) AS parts`);
  if (rows[0]?.hasCopy)
    await changeTables(connection, () =>
      connection.query(`SELECT truncate_local_data_after_distributing_table('${table}')`),
    );
}

/** Reads which nodes may have shards, whether or not they run: at least one. @throws {OperatorError} without any */
async function readShardNodes(connection: ClientBase): Promise<readonly CitusNode[]> {
  if (await hasCitus(connection)) {
    const { rows } = await connection.query<CitusNode>(`
      SELECT groupid AS "group", nodename || ':' || nodeport AS name FROM pg_catalog.pg_dist_node
      WHERE noderole = 'primary' AND isactive AND shouldhaveshards
        AND NOT EXISTS (SELECT FROM pg_catalog.pg_dist_local_group WHERE groupid <> 0) ORDER BY name`);
    if (rows.length > 0) return rows;
  }
  throw new OperatorError(
    `The tables cannot be distributed: the database is not the coordinator of a Citus cluster that has nodes for shards. Let an administrator run CREATE EXTENSION citus in this database on all nodes, and SELECT citus_add_node('host', 5432) on the coordinator, which DATABASE_URL names. ${pathOfPage('docs/operate/citus.md')} has the steps. Nothing was changed.`,
  );
}
