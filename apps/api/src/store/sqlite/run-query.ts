import { ServiceError } from '../../errors/service-error.js';
import { retry } from '../../runtime/timing.js';
import type { DatabaseLog } from '../database.js';
import { databaseDamaged, databaseUnavailable } from '../database-errors.js';
import type { QueryWrapper } from '../queries.js';
import { findDriverError, isBusy, isDamaged } from './errors.js';

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

/** How long to wait between these attempts, in milliseconds. */
const busyDelayMs = 10;

/**
 * Runs an action, and retries it while another process has locked the file, until the timeout. Unlike SQLite's own busy
 * timeout it does not block the thread.
 *
 * @throws what the last attempt threw
 */
export function retryWhileBusy<Result>(action: () => Promise<Result>, timeoutMs: number): Promise<Result> {
  return retry(action, isBusy, { timeoutMs, delayMs: busyDelayMs });
}

/**
 * Creates a function that runs queries until one of them finds the database damaged. That is logged once, and every
 * later query is rejected: plants stored in a damaged file would be lost when a backup is restored, and might damage it
 * further.
 */
export function rememberDamage(log: DatabaseLog): QueryWrapper {
  let damage: ServiceError | undefined;
  return async function run(query) {
    if (damage !== undefined) throw damage;
    try {
      return await query();
    } catch (error) {
      if (damage === undefined && error instanceof ServiceError && error.errorName === 'database_damaged') {
        damage = error;
        const { cause } = error;
        log.error(cause instanceof Error ? { err: cause } : {}, 'the database is damaged');
      }
      throw error;
    }
  };
}
