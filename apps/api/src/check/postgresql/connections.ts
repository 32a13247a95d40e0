import { type Item, ok, type Result, warning } from '../finding.js';
import type { PostgresqlContext } from './postgresql-context.js';
import { queryRow } from './query-row.js';

/** Whether the server accepts as many connections as the service may open. */
export const connections: Item<PostgresqlContext> = {
  name: 'connections',
  async inspect({ connection, location, isPooled }) {
    const found = await queryRow<ConnectionLimits>(connection, selectLimits);
    return assessConnections({ ...found, poolSize: location.poolSize, isPooled });
  },
};

/** How many connections this user may have on the server and to the database, and how many all have now. */
interface ConnectionLimits {
  readonly limit: number;
  readonly used: number;
}

/**
 * pg_stat_activity hides from an ordinary user which sessions of others are those of clients; pg_stat_database counts all.
 * Limits of a database or a user are -1 where there is none. Superusers bypass them, which the service should not be.
 */
const selectLimits = `
  SELECT (SELECT sum(numbackends)::int FROM pg_stat_database) AS used,
    LEAST(
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0),
      (SELECT NULLIF(rolconnlimit, -1) FROM pg_catalog.pg_roles WHERE rolname = current_user),
      (SELECT NULLIF(datconnlimit, -1) FROM pg_catalog.pg_database WHERE datname = current_database())
    ) AS limit`;

function assessConnections({
  limit,
  used,
  poolSize,
  isPooled,
}: ConnectionLimits & { readonly poolSize: number; readonly isPooled: boolean }): Result {
  const found = `DATABASE_POOL_SIZE ${poolSize} for each process, of ${limit} that the server accepts, ${used} in use`;
  // The pooler has its own limits, which it does not show here.
  if (isPooled || poolSize <= limit) return ok(found);
  return warning(
    found,
    `Lower DATABASE_POOL_SIZE to ${limit} or less, or raise max_connections or CONNECTION LIMIT.`,
  );
}
