import pg, { type ClientBase } from 'pg';
import { messageOf, OperatorError } from '../../errors/operator-error.js';
import { docsPath } from '../../package-folder.js';
import type { PostgresqlLocation } from '../database-location.js';
import { allTables, type Table } from '../table.js';
import {
  connectionSettings,
  findDurabilityProblem,
  selectSessionSettings,
  withConnection,
} from './connection.js';
import { changeTables } from './migrate-postgresql.js';
import { negotiate } from './negotiate.js';
import type { ComposeInsert } from './postgresql-store.js';

/** Creates INSERT statements that list the values, because Citus cannot route rows from `unnest` to shards. */
export function createInsertOfValues<Fields>(table: Table<Fields>): ComposeInsert<Fields> {
  const columns = ['id', ...table.fieldColumns, 'added_by', 'added_at'];
  const parametersOf = (_: unknown, row: number) =>
    `(${columns.map((_, column) => `$${columns.length * row + column + 1}`)})`;
  return (records, now) => ({
    sql: `INSERT INTO ${table.name} (${columns}) VALUES ${records.map(parametersOf)} ON CONFLICT (id) DO NOTHING RETURNING id`,
    args: records.flatMap((record) => {
      const { id, addedBy = null, addedAt = now } = record;
      return [id, ...table.toColumns(record), addedBy, addedAt];
    }),
  });
}

/** Returns the first table's numbers of shards and of nodes with shards, or `undefined` if Citus does not distribute the table by ID. */
export async function readShards(connection: ClientBase, [table]: readonly Table[]) {
  if (!(await hasCitus(connection))) return undefined;
  const { rows } = await connection.query<{ shards: number; nodes: number }>(
    `SELECT count(DISTINCT shardid)::int AS shards, count(DISTINCT groupid)::int AS nodes
     FROM pg_catalog.pg_dist_shard JOIN pg_catalog.pg_dist_partition USING (logicalrelid)
     JOIN pg_catalog.pg_dist_placement USING (shardid)
     WHERE logicalrelid = to_regclass($1) AND partmethod = 'h' AND column_to_column_name(logicalrelid, partkey) = 'id'`,
    [table?.name],
  );
  return rows.find(({ shards }) => shards > 0);
}

/** Checks the nodes that are running. @throws {OperatorError} if a node would acknowledge a record before the record is durable */
export async function requireDurableNodes(connection: ClientBase): Promise<void> {
  const { rows } = await connection.query<{ node: string; settings: string }>(
    `SELECT nodename || ':' || nodeport AS node, result AS settings FROM pg_catalog.pg_dist_node,
       master_run_on_worker(ARRAY[nodename], ARRAY[nodeport], ARRAY[$1], false)
     WHERE groupid <> 0 AND noderole = 'primary' AND success`,
    [`SELECT row_to_json(session) FROM (${selectSessionSettings}) AS session`],
  );
  for (const { node, settings } of rows) {
    const problem = findDurabilityProblem(JSON.parse(settings), ` on its node ${node}`);
    if (problem !== undefined)
      throw new OperatorError(`The database cannot be used: ${problem.found}. ${problem.advice}`);
  }
}

/** Connects to a database, and calls `distributeTables`. @throws {OperatorError} with a message that says what to do */
export async function distributePostgresql(location: PostgresqlLocation, shards: number | undefined) {
  try {
    const settings = connectionSettings(await negotiate(location), location.timeouts.startConnectMs);
    return await withConnection(settings, (connection) => distributeTables(connection, shards));
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    const { detail, hint } = error instanceof pg.DatabaseError ? error : {};
    const reason = [`${messageOf(error)}.`, detail, hint].filter(Boolean).join(' ');
    throw new OperatorError(
      `The tables could not be distributed: ${reason}\nDistribution is all or nothing. Fix the problem, then run the command again to finish or confirm the distribution.`,
      { cause: error },
    );
  }
}

/**
 * Distributes all resource tables by ID over the nodes of a Citus cluster. The tables are colocated, so records with the same ID are on the
 * same node. One transaction, which blocks inserts, distributes all tables. Afterward, the function removes the coordinator's copies.
 *
 * @param shards the number of shards per table. Default: 2 per node, but at least 4
 * @returns the numbers of shards, nodes, and moved records. `moved` is `undefined` if all tables were already distributed
 * @throws {OperatorError} if the tables are already distributed over a different number of shards, or remain locked
 */
export async function distributeTables(
  connection: ClientBase,
  shards: number | undefined,
  tables: readonly Table[] = allTables,
) {
  const nodes = await countNodes(connection);
  await requireDurableNodes(connection);
  for (const table of tables) await removeHistory(connection, table);
  const count = shards ?? Math.max(4, 2 * nodes);
  const moved = await changeTables(connection, () => moveToShards(connection, count, tables));
  const distribution = (await readShards(connection, tables)) ?? { shards: 0, nodes: 0 };
  if (shards !== undefined && shards !== distribution.shards)
    throw new OperatorError(
      `The tables are already distributed across ${distribution.shards} shards. This command does not change that number. ${docsPath('docs/operate/citus.md')} describes how to split shards or reduce their number.`,
    );
  // Removing the copies requires a moment without readers. Separate transactions ensure that a long export cannot roll back the distribution.
  for (const { name } of tables)
    await changeTables(connection, () =>
      connection.query(`SELECT truncate_local_data_after_distributing_table('${name}')`),
    );
  return { ...distribution, moved };
}

const hasCitus = async (connection: ClientBase) =>
  (await connection.query(`SELECT WHERE to_regclass('pg_catalog.pg_dist_node') IS NOT NULL`)).rows.length > 0;

/** Counts the nodes that can store shards, whether or not they are running. @throws {OperatorError} if there are none */
async function countNodes(connection: ClientBase): Promise<number> {
  if (await hasCitus(connection)) {
    const { rows } = await connection.query(
      `SELECT FROM pg_catalog.pg_dist_node WHERE noderole = 'primary' AND isactive AND shouldhaveshards
         AND NOT EXISTS (SELECT FROM pg_catalog.pg_dist_local_group WHERE groupid <> 0)`,
    );
    if (rows.length > 0) return rows.length;
  }
  throw new OperatorError(
    `The tables cannot be distributed: the database is not the coordinator of a Citus cluster that has nodes for shards. Let an administrator run CREATE EXTENSION citus in this database on all nodes, and SELECT citus_add_node('host', 5432) on the coordinator, which DATABASE_URL names. ${docsPath('docs/operate/citus.md')} has the steps. Nothing was distributed.`,
  );
}

/** Removes a table's history, because Citus cannot distribute a table with a trigger. This requires a moment without readers. */
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

/** Distributes the tables that are still local. Returns how many records these tables contain, or `undefined` if no tables are local. */
async function moveToShards(connection: ClientBase, shards: number, tables: readonly Table[]) {
  // If another command ran at the same time, some tables may be distributed already.
  const local: string[] = [];
  for (const table of tables) if (!(await readShards(connection, [table]))) local.push(table.name);
  if (local.length === 0) return undefined;
  // No statement timeout applies, because distributing a large store takes hours.
  await connection.query(`LOCK TABLE ${local} IN EXCLUSIVE MODE; SET LOCAL statement_timeout = 0`);
  const first = tables[0]?.name;
  let moved = 0n;
  for (const name of local) {
    const { rows } = await connection.query(`SELECT count(*) AS records FROM ${name}`);
    moved += BigInt(rows[0].records);
    const target = name === first ? `'none', shard_count => ${shards}` : `'${first}'`;
    await connection.query(`SELECT create_distributed_table('${name}', 'id', colocate_with => ${target})`);
  }
  return moved;
}
