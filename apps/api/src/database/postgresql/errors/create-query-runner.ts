import { databaseDamaged, databaseUnavailable } from '../../database-errors.js';
import { rejectAfter } from '../connections/reject-after.js';
import { findDriverError, isConflict, isDamaged, isUnavailable } from './driver-error.js';

/** How often a query is attempted that conflicts with other transactions. */
const maxAttempts = 5;

/**
 * Runs a query, and converts a failure of the database, as opposed to one of the query, into `database_unavailable`.
 * The outcome of the query is unknown then.
 *
 * @throws {ServiceError} `database_unavailable` with `Retry-After`, or `database_damaged`
 * @throws {Error} with PostgreSQL's code and message for its other errors; any other error unchanged
 */
export type QueryRunner = <Result>(query: () => Promise<Result>) => Promise<Result>;

/**
 * Creates a query runner.
 *
 * @param queryTimeoutMs the timeout of a query, in milliseconds. Its connection stays in use until the query ends: if
 * the server waits long, such as for a standby, every query that timed out would otherwise cost another connection.
 */
export function createQueryRunner(queryTimeoutMs: number): QueryRunner {
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

async function retryConflicts<Result>(
  query: () => Promise<Result>,
  state: { readonly hasTimedOut: boolean },
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await query();
    } catch (error) {
      const driverError = findDriverError(error);
      const isLast = attempt === maxAttempts || state.hasTimedOut;
      if (isLast || driverError === undefined || !isConflict(driverError)) throw error;
    }
  }
}
