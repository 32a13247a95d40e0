import { ServiceError } from '../../errors/service-error.js';
import type { DatabaseLog } from '../database.js';
import { retryWhileBusy, toServiceError } from './errors.js';
import type { FileGuard } from './guard-files.js';

/**
 * Runs a query, or a transaction, which is retried while another process has locked the file.
 *
 * @param timeoutMs for how long, in milliseconds
 * @throws {ServiceError} `database_unavailable` with `Retry-After`, such as for a file that is gone; or `database_damaged`
 * @throws {Error} with SQLite's code and message for its other errors; any other error unchanged
 */
export type Transact = <Result>(query: () => Result | Promise<Result>, timeoutMs?: number) => Promise<Result>;

/**
 * How long a query waits for other processes that have locked the file, in milliseconds: workers write one after the other. Less
 * than after which commits count as failing.
 */
const busyTimeoutMs = 2_500;

/**
 * Creates the function that all queries of a service run in. Once one of them has found the database damaged, which is logged, every
 * later one is rejected: what is stored in a damaged file would be lost when a backup is restored, and might damage it further.
 */
export function createTransact(files: FileGuard, log: DatabaseLog): Transact {
  let damage: ServiceError | undefined;

  return async function transact(query, timeoutMs = busyTimeoutMs) {
    if (damage !== undefined) throw damage;
    try {
      files.checkIfDue();
      const result = await retryWhileBusy(query, timeoutMs);
      files.checkIfDue();
      return result;
    } catch (error) {
      // The error of SQLite about files that are gone is less clear.
      files.check();
      const converted = toServiceError(error);
      if (converted instanceof ServiceError && converted.errorName === 'database_damaged') {
        damage ??= logDamage(converted, log);
      }
      throw converted;
    }
  };
}

function logDamage(damage: ServiceError, log: DatabaseLog): ServiceError {
  log.error(damage.cause instanceof Error ? { err: damage.cause } : {}, 'the database is damaged');
  return damage;
}
