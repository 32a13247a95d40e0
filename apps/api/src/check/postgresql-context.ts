import type pg from 'pg';
import type { ClientBase, QueryResultRow } from 'pg';
import type { PostgresqlLocation } from '../store/database-location.js';
import type { TokenContext } from './access-tokens.js';
import type { Distribution } from './postgresql-nodes.js';

/** What the items of a PostgreSQL database need. */
export interface PostgresqlContext extends TokenContext {
  /** A connection with the settings of the service. */
  readonly connection: pg.Client;
  readonly location: PostgresqlLocation;
  /** Whether a pooler in transaction mode is in front of it. */
  readonly isPooled: boolean;
  /** How the plants are distributed over the nodes of Citus; `undefined` where they are not. */
  readonly distribution: Distribution | undefined;
  /** The names of the pending migrations; `undefined` when the database cannot be used, which their item reports. */
  readonly pending: readonly string[] | undefined;
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
  const { rows } = await connection.query<Row>(sql);
  const [row] = rows;
  if (row === undefined) throw new Error(`PostgreSQL returned no row for ${sql}`);
  return row;
}
