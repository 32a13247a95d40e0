import type { NewPlant } from '@plant-store/contract';
import type { SqlDriverAdapter, SqlQuery } from '@prisma/driver-adapter-utils';
import { clearArguments, integer, integers, text } from '../../queries/query-arguments.js';
import { type PlantRow, toRow } from '../../queries/resolve-insert-outcomes.js';
import { isDurable } from '../durable-read.js';

/**
 * The most rows whose statement is prepared, which saves the coordinator a quarter of its work. Each connection keeps a plan for
 * each number of rows, 7 MB in all at the coordinator; larger batches save little and would need large plans.
 */
const preparedRows = 64;

/** The most rows whose statement is kept: the texts of all together take a megabyte. */
const keptRows = 256;

/** The statements by the number of their rows, and the names of those that are prepared. */
const statements: string[] = [];
const names = new Map<string, string>();

/** The name of an insert that is prepared; empty for any other statement. */
export function nameShardStatement(sql: string): string {
  return names.get(sql) ?? '';
}

/**
 * Inserts the plants of one shard whose id is free, and returns these ids. Citus finds the shard of the rows in a list of
 * values, but not in what `unnest` returns.
 */
export async function insertRows(
  connections: SqlDriverAdapter,
  plants: readonly NewPlant[],
): Promise<readonly bigint[]> {
  const query: SqlQuery = {
    sql: insertStatement(plants.length),
    args: plants.flatMap(({ id, name, tag }) => [id, name, tag ?? null]),
    argTypes: plants.flatMap(() => [integer, text, text]),
  };
  const { rows } = await clearArguments(query, (statement) => connections.queryRaw(statement));
  return rows.map(([id]) => BigInt(String(id)));
}

/** Reads existing rows of one shard, as durable as a commit on the node that has them. */
export async function findRows(
  connections: SqlDriverAdapter,
  ids: readonly bigint[],
): Promise<readonly PlantRow[]> {
  const { rows } = await connections.queryRaw({
    sql: `SELECT id, name, tag, ${isDurable} FROM plants WHERE id = ANY($1::bigint[])`,
    args: [ids],
    argTypes: [integers],
  });
  return rows.map(toRow);
}

/** The statement for so many rows. */
function insertStatement(rows: number): string {
  const known = statements[rows];
  if (known !== undefined) return known;
  const sql = `INSERT INTO plants (id, name, tag) VALUES ${valuesList(rows)}
    ON CONFLICT (id) DO NOTHING RETURNING id`;
  if (rows <= keptRows) statements[rows] = sql;
  if (rows <= preparedRows) names.set(sql, `insert_${rows}_plants`);
  return sql;
}

function valuesList(rows: number): string {
  const row = (_: unknown, index: number) =>
    `($${3 * index + 1}::bigint, $${3 * index + 2}::text, $${3 * index + 3}::text)`;
  return Array.from({ length: rows }, row).join(', ');
}
