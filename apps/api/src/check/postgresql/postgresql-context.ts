import type pg from 'pg';
import type { PostgresqlLocation } from '../../database/database-location.js';
import type { TokenContext } from '../access-tokens.js';
import type { Distribution } from './nodes.js';

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
