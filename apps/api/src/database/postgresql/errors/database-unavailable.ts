import { databaseDamaged, databaseUnavailable } from '../../database-errors.js';
import { rejectAfter } from '../connections/reject-after.js';
import { findDriverError, isConflict, isDamaged, isUnavailable } from './driver-error.js';

/** How often a query is tried that other transactions get in the way of. */
const tries = 5;

/**
 * Runs a query and turns a failure of the database, as opposed to one of the query, into `database_unavailable`. What
 * became of the query is not known then.
 *
 * @throws {ServiceError} `database_unavailable` with `Retry-After`, or `database_damaged`
 * @throws {Error} with PostgreSQL's code and message for any other fault of it; every other error as it is
 */
export type OrUnavailable = <Result>(query: () => Promise<Result>) => Promise<Result>;

/**
 * Makes such a function.
 *
 * @param giveUpAfterMs how long a query may take, in milliseconds. Its connection stays in use until the query really
 * ends: the server may wait for long, as for a standby, and would need another connection for each one given up.
 */
export function createOrUnavailable(giveUpAfterMs: number): OrUnavailable {
  return async function orUnavailable(query) {
    const state = { givenUp: false };
    try {
      return await rejectAfter(giveUpAfterMs, retryConflicts(query, state));
    } catch (error) {
      state.givenUp = true;
      const fault = findDriverError(error);
      if (fault === undefined) throw error;
      // Prisma's own message names only the kind of fault.
      const cause = new Error(`${fault.code ?? 'no connection'}: ${fault.message}`, { cause: error });
      if (isDamaged(fault)) throw databaseDamaged(cause);
      if (!isUnavailable(fault)) throw cause;
      throw databaseUnavailable(cause);
    }
  };
}

async function retryConflicts<Result>(
  query: () => Promise<Result>,
  state: { readonly givenUp: boolean },
): Promise<Result> {
  for (let number = 1; ; number++) {
    try {
      return await query();
    } catch (error) {
      const fault = findDriverError(error);
      const isLast = number === tries || state.givenUp;
      if (isLast || fault === undefined || !isConflict(fault)) throw error;
    }
  }
}
