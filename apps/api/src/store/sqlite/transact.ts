import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { docsPath } from '../../package-folder.js';
import { type DatabaseLog, databaseUnavailable, toServiceError } from '../database.js';
import { findDriverError, isBusy, meaningOf } from './errors.js';
import { type DatabaseFiles, findLoss } from './file-identity.js';

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

/** How long a check is valid, in milliseconds. Within this time, records may still be acknowledged after the files are gone. */
export const checkIntervalMs = 10;

/** Checks that the open files are still those at their paths. */
export type FileGuard = ReturnType<typeof guardFiles>;

/**
 * Guards the files of an open SQLite database. SQLite keeps using files that have been deleted, which cannot be opened
 * again. A file that is moved back is used again.
 *
 * @param log logs the beginning and the end of a loss
 * @param saveLog moves the contents of the write-ahead log into the database; called when that log is deleted
 */
export function guardFiles(files: DatabaseFiles, log: DatabaseLog, saveLog: () => void) {
  let checkedAt = performance.now();
  let problem: string | undefined;

  /** @throws {ServiceError} `database_unavailable` when a file has been deleted, moved away or replaced */
  function check(): void {
    const found = findProblem(files);
    checkedAt = performance.now();
    if (found !== problem) report(found);
    problem = found;
    if (found === undefined) return;
    throw databaseUnavailable(new Error(found));
  }

  function report(found: string | undefined): void {
    if (found === undefined) {
      log.info({}, 'the database files are back');
      return;
    }
    log.error({ err: new Error(found) }, 'a database file is missing');
    try {
      if (maySaveLog(files)) saveLog();
    } catch {
      // The loss is already logged.
    }
  }

  return {
    check,
    /** Checks it, unless the last check was within the last 10 ms. */
    checkIfDue(): void {
      if (problem !== undefined || performance.now() - checkedAt >= checkIntervalMs) check();
    },
  };
}

function findProblem({ database, log, index }: DatabaseFiles): string | undefined {
  const loss = findLoss(database);
  if (loss !== undefined) {
    return `${loss} while it is open. Do not stop the service: it still has the file open. Move the same file back, or see ${docsPath('docs/operate/troubleshooting.md')}.`;
  }
  const companionLoss = findLoss(log) ?? findLoss(index);
  return companionLoss && `${companionLoss} while it is open. Restart the service.`;
}

/** Whether only the log is lost, and no new log exists that the index would belong to. */
function maySaveLog({ database, log, index }: DatabaseFiles): boolean {
  if (findLoss(database) !== undefined || findLoss(index) !== undefined) return false;
  return findLoss(log) !== undefined && !statSync(log.path, { throwIfNoEntry: false })?.size;
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
