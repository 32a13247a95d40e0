import type { ClientBase, QueryResultRow } from 'pg';

/**
 * Runs a query that returns one row.
 *
 * @throws {Error} of PostgreSQL, or when there is no row
 */
export async function queryRow<Row extends QueryResultRow>(
  connection: ClientBase,
  sql: string,
): Promise<Row> {
  const { rows } = await connection.query<Row>(sql);
  const [row] = rows;
  if (row === undefined) throw new Error(`PostgreSQL returned no row for ${sql}`);
  return row;
}
