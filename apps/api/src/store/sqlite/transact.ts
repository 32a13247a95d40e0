import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { docsPath } from '../../package-folder.js';
import { type DatabaseLog, databaseUnavailable, toServiceError } from '../database.js';
import { findDriverError, isBusy, meaningOf } from './errors.js';
import { type DatabaseFiles, findLoss } from './file-identity.js';

/**
 * Runs a query or a transaction, and retries it while another process has locked the file.
 *
 * @param timeoutMs how long to retry, in milliseconds
 * @throws {ServiceError} `database_unavailable` with `Retry-After`, such as for a missing file, or `database_damaged`
 * @throws {Error} with SQLite's code and message for other SQLite errors. Other errors are thrown unchanged
 */
export type Transact = <Result>(query: () => Result | Promise<Result>, timeoutMs?: number) => Promise<Result>;

/**
 * How long a query waits for other processes that have locked the file, in milliseconds. Workers write one after the other. The value is
 * less than the time after which commits count as failing.
 */
const busyTimeoutMs = 2_500;

/**
 * Creates the function that all queries of a service run in. Once a query finds that the database is damaged, logs this, and rejects every
 * later query. Data written to a damaged file would be lost when a backup is restored, and could damage the file further.
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
      // SQLite's own error about missing files is less clear.
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

/** How long a check is valid, in milliseconds. Within this time, records can still be acknowledged after the files are gone. */
export const checkIntervalMs = 10;

/** Checks that the open files are still those at their paths. */
export type FileGuard = ReturnType<typeof guardFiles>;

/**
 * Guards the files of an open SQLite database. SQLite keeps using deleted files, which cannot be opened again. A file that is moved back is
 * used again.
 *
 * @param log logs the beginning and the end of a loss
 * @param saveLog moves the contents of the write-ahead log into the database; called when that log is deleted
 */
export function guardFiles(files: DatabaseFiles, log: DatabaseLog, saveLog: () => void) {
  let checkedAt = performance.now();
  let problem: string | undefined;

  /** @throws {ServiceError} `database_unavailable` when a file has been deleted, moved, or replaced */
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
      if (canSaveLog(files)) saveLog();
    } catch {
      // The loss is already logged.
    }
  }

  return {
    check,
    /** Checks the files, unless the last check found no problem and is still valid. */
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
function canSaveLog({ database, log, index }: DatabaseFiles): boolean {
  if (findLoss(database) !== undefined || findLoss(index) !== undefined) return false;
  return findLoss(log) !== undefined && !statSync(log.path, { throwIfNoEntry: false })?.size;
}

/** The delay between attempts, the time after which it becomes shorter, and the shorter delay, in milliseconds. */
const busyDelayMs = 10;
const shortenAfterMs = 200;
const shortDelayMs = 2;

/**
 * Runs an action, and retries it while another process has locked the file, until the timeout. Unlike SQLite's own busy timeout, this does
 * not block the thread. An action that has waited for a long time retries more often, so that no action starves.
 *
 * @throws the error of the last attempt
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
      await sleep(waitedMs < shortenAfterMs ? busyDelayMs : shortDelayMs);
    }
  }
}
