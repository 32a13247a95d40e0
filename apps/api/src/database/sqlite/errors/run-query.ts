import { databaseDamaged, databaseUnavailable } from '../../database-errors.js';
import { retryWhileBusy } from '../retry-while-busy.js';
import { findDriverError, isDamaged } from './driver-error.js';

/** How long a query waits for another process that has locked the file, in milliseconds. */
const busyTimeoutMs = 1_000;

/**
 * The SQLite result codes for a file that cannot be used at the moment, whatever the statement: it is locked by another
 * process or read-only, or the disk is full or failing.
 */
const unavailableCodes = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|PROTOCOL)/;

/**
 * Runs a query, and converts a failure of the database, as opposed to one of the query, into an error of the registry.
 *
 * @throws {ServiceError} `database_unavailable` with `Retry-After`, or `database_damaged`
 * @throws {Error} with SQLite's code and message for its other errors; any other error unchanged
 */
export async function runQuery<Result>(query: () => Promise<Result>): Promise<Result> {
  try {
    return await retryWhileBusy(query, busyTimeoutMs);
  } catch (error) {
    const driverError = findDriverError(error);
    if (driverError === undefined) throw error;
    // Prisma's own message has only the kind of error.
    const { code, message } = driverError;
    const cause = new Error(`${code}: ${message}`, { cause: error });
    if (isDamaged(error)) throw databaseDamaged(cause);
    if (!unavailableCodes.test(code)) throw cause;
    throw databaseUnavailable(cause);
  }
}
