import { databaseDamaged, databaseUnavailable } from '../database-errors.js';
import type { RunQuery } from '../queries/nest-runners.js';
import { rejectAfter } from './connections/reject-after.js';
import { findDriverError, isDamaged, isUnavailable } from './errors/driver-error.js';
import { retryConflicts } from './errors/retry-conflicts.js';

/**
 * Creates a function that runs a query, and converts a failure of the database, as opposed to one of the query, into an
 * error of the registry. It throws a `ServiceError` (`database_unavailable` with `Retry-After`, or `database_damaged`),
 * an `Error` with PostgreSQL's code and message for its other errors, and any other error unchanged. After
 * `database_unavailable` the outcome of the query is unknown.
 *
 * @param queryTimeoutMs the timeout of a query, in milliseconds. Its connection stays in use until the query ends: if
 * the server waits long, such as for a standby, every query that timed out would otherwise cost another connection.
 */
export function createRunQuery(queryTimeoutMs: number): RunQuery {
  return async function runQuery(query) {
    const state = { hasTimedOut: false };
    try {
      return await rejectAfter(queryTimeoutMs, retryConflicts(query, state));
    } catch (error) {
      state.hasTimedOut = true;
      const driverError = findDriverError(error);
      if (driverError === undefined) throw error;
      // Prisma's own message has only the kind of error.
      const { code = 'no connection', message } = driverError;
      const cause = new Error(`${code}: ${message}`, { cause: error });
      if (isDamaged(driverError)) throw databaseDamaged(cause);
      if (!isUnavailable(driverError)) throw cause;
      throw databaseUnavailable(cause);
    }
  };
}
