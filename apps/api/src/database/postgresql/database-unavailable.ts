import { ServiceError } from '../../service-error.js';
import { findDriverFault, isConflict, isUnavailable } from './driver-fault.js';

/** How often a query is tried that other transactions get in the way of. */
const tries = 5;

/**
 * Runs a query and turns a failure of the database, as opposed to one of the query, into `database_unavailable`. What
 * became of the query is not known then.
 *
 * @throws {ServiceError} `database_unavailable` with `Retry-After`
 * @throws {Error} with PostgreSQL's code and message for any other fault of it; every other error as it is
 */
export async function orUnavailable<Result>(query: () => Promise<Result>): Promise<Result> {
  for (let number = 1; ; number++) {
    try {
      return await query();
    } catch (error) {
      const fault = findDriverFault(error);
      if (fault === undefined) throw error;
      if (isConflict(fault) && number < tries) continue;
      // Prisma's own message names only the kind of fault.
      const cause = new Error(`${fault.code ?? 'no connection'}: ${fault.message}`, { cause: error });
      if (!isUnavailable(fault)) throw cause;
      throw new ServiceError('database_unavailable', 'The database does not answer. Try again in 1 second.', {
        retryAfterSeconds: 1,
        cause,
      });
    }
  }
}
