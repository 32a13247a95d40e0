import { statSync } from 'node:fs';
import type { DatabaseLog } from '../../database.js';
import { databaseUnavailable } from '../../database-errors.js';
import { type DatabaseFiles, findLoss } from '../file-identity.js';

/** How long a comparison holds, in milliseconds: for so long a plant may be acknowledged after the files are gone. */
export const comparisonMs = 10;

/** Sees whether the files that are open are still those under their names. */
export interface FileGuard {
  /**
   * Compares.
   *
   * @throws {ServiceError} `database_unavailable` when a file has been deleted, moved away or replaced
   */
  check(): void;
  /**
   * Runs what stores plants. Compares before it, and again before it returns, unless it has within the last 10 ms.
   *
   * @throws {ServiceError} as `check` does; whether the plants were stored is not known then
   */
  run<Result>(store: () => Promise<Result>): Promise<Result>;
}

/**
 * Guards the files of an open SQLite database. SQLite goes on in files that have been deleted, which nobody can open any
 * more. One that is moved back is used again.
 *
 * @param log has the beginning and the end of it
 * @param saveLog moves what the write-ahead log holds into the database; called when that log is deleted
 */
export function guardFiles(files: DatabaseFiles, log: DatabaseLog, saveLog: () => Promise<void>): FileGuard {
  let comparedAt = performance.now();
  let problem: string | undefined;

  function check(): void {
    const found = findProblem(files);
    comparedAt = performance.now();
    if (found !== problem) report(found);
    problem = found;
    if (found === undefined) return;
    throw databaseUnavailable(new Error(found));
  }

  function checkNowAndThen(): void {
    if (problem !== undefined || performance.now() - comparedAt >= comparisonMs) check();
  }

  function report(found: string | undefined): void {
    if (found === undefined) {
      log.info({}, 'the files of the database are back');
      return;
    }
    log.error({ err: new Error(found) }, 'a file of the database is gone');
    if (maySaveLog(files)) saveLog().catch(() => undefined);
  }

  return {
    check,
    async run(store) {
      checkNowAndThen();
      try {
        const result = await store();
        checkNowAndThen();
        return result;
      } catch (error) {
        // What SQLite says about files that are gone is less clear.
        check();
        throw error;
      }
    },
  };
}

function findProblem({ database, log, index }: DatabaseFiles): string | undefined {
  const loss = findLoss(database);
  if (loss !== undefined) {
    return `${loss} while it is open. Move the same file back, or stop the service and restore a backup.`;
  }
  const companionLoss = findLoss(log) ?? findLoss(index);
  return companionLoss && `${companionLoss} while it is open. Restart the service.`;
}

/** Whether the log alone is lost, and nobody has begun another one, to which the index would belong. */
function maySaveLog({ database, log, index }: DatabaseFiles): boolean {
  if (findLoss(database) !== undefined || findLoss(index) !== undefined) return false;
  return findLoss(log) !== undefined && !statSync(log.path, { throwIfNoEntry: false })?.size;
}
