import { setTimeout as sleep } from 'node:timers/promises';
import { type DatabaseLog, toServiceError } from '../database.js';
import type { FileGuard } from './database-files.js';
import { findDriverError, isBusy, meaningOf } from './errors.js';

/**
 * Runs a query, or a transaction, which is retried while another process has locked the file.
 *
 * @param timeoutMs for how long, in milliseconds
 * @throws {ServiceError} `database_unavailable` with `Retry-After`, such as for a file that is gone; or `database_damaged`
 * @throws {Error} with SQLite's code and message for its other errors; any other error unchanged
 */
export type Transact = <Result>(query: () => Result | Promise<Result>, timeoutMs?: number) => Promise<Result>;

/**
 * How long a query waits for other processes that have locked the file, in milliseconds: workers write one after the other. Less than the
 * time after which commits count as failing.
 */
const busyTimeoutMs = 2_500;

/**
 * Creates the function that all queries of a service run in. Once a query finds the database damaged, that is logged, and every later query
 * is rejected: data written to a damaged file would be lost when a backup is restored, and might damage it further.
 */
export function createTransact(files: FileGuard, log: DatabaseLog): Transact {
  let damage: Error | undefined;

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
      const driverError = findDriverError(error);
      if (driverError === undefined) throw error;
      const meaning = meaningOf(driverError.code);
      const converted = toServiceError(error, driverError, meaning);
      if (meaning === 'damaged' && damage === undefined) {
        damage = converted;
        log.error(
          { ...(converted.cause instanceof Error && { err: converted.cause }) },
          'the database is damaged',
        );
      }
      throw converted;
    }
  };
}

/** The delay between attempts, and how long it applies before it becomes shorter, in milliseconds. */
const busyDelayMs = 10;
const patientMs = 200;
const impatientDelayMs = 2;

/**
 * Runs an action, and retries it while another process has locked the file, until the timeout. Unlike SQLite's own busy timeout it does not
 * block the thread. An action that has waited for a long time retries more often, so that none starves.
 *
 * @throws what the last attempt threw
 */
export async function retryWhileBusy<Result>(
  action: () => Result | Promise<Result>,
  timeoutMs: number,
): Promise<Result> {
  const startedAt = performance.now();
  for (;;) {
    try {
      return await action();
    } catch (error) {
      const waitedMs = performance.now() - startedAt;
      if (!isBusy(error) || waitedMs >= timeoutMs) throw error;
      await sleep(waitedMs < patientMs ? busyDelayMs : impatientDelayMs);
    }
  }
}
