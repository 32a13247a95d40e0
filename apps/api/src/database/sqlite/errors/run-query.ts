import { databaseDamaged, databaseUnavailable } from '../../database-errors.js';
import { retryWhileBusy } from '../retry-while-busy.js';
import { findDriverError, isDamaged } from './driver-error.js';

/** How long a request waits for another process that holds the file, in milliseconds. */
const busyTimeoutMs = 1_000;

/**
 * The SQLite result codes that say nothing about the statement, only that the file cannot be used at the moment:
 * held by another process, disk full or failing, not writable.
 */
const unavailableCodes = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|PROTOCOL)/;

/**
 * Runs a query and turns a failure of the database, as opposed to one of the query, into an error of the registry.
 *
 * @throws {ServiceError} `database_unavailable` with `Retry-After`, or `database_damaged`
 * @throws {Error} with SQLite's code and message for any other fault of SQLite; every other error as it is
 */
export async function runQuery<Result>(query: () => Promise<Result>): Promise<Result> {
  try {
    return await retryWhileBusy(query, busyTimeoutMs);
  } catch (error) {
    const fault = findDriverError(error);
    if (fault === undefined) throw error;
    // Prisma's own message names only the kind of fault.
    const cause = new Error(`${fault.code}: ${fault.message}`, { cause: error });
    if (isDamaged(error)) throw databaseDamaged(cause);
    if (!unavailableCodes.test(fault.code)) throw cause;
    throw databaseUnavailable(cause);
  }
}
