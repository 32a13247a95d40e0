import { statSync } from 'node:fs';
import type { DatabaseLog } from '../database.js';
import { databaseUnavailable } from '../database.js';
import { type DatabaseFiles, findLoss } from './file-identity.js';

/** How long a check is valid, in milliseconds: a plant may still be acknowledged so long after the files are gone. */
export const checkIntervalMs = 10;

/** Checks that the open files are still those at their paths. */
export interface FileGuard {
  /**
   * @throws {ServiceError} `database_unavailable` when a file has been deleted, moved away or replaced
   */
  check(): void;
  /** Checks it, unless the last check was within the last 10 ms. */
  checkIfDue(): void;
}

/**
 * Guards the files of an open SQLite database. SQLite keeps using files that have been deleted, which cannot be opened
 * again. A file that is moved back is used again.
 *
 * @param log receives the beginning and the end of a loss
 * @param saveLog moves the contents of the write-ahead log into the database; called when that log is deleted
 */
export function guardFiles(files: DatabaseFiles, log: DatabaseLog, saveLog: () => void): FileGuard {
  let checkedAt = performance.now();
  let problem: string | undefined;

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
      log.info({}, 'the files of the database are back');
      return;
    }
    log.error({ err: new Error(found) }, 'a file of the database is gone');
    try {
      if (maySaveLog(files)) saveLog();
    } catch {
      // Its loss is logged already.
    }
  }

  return {
    check,
    checkIfDue() {
      if (problem !== undefined || performance.now() - checkedAt >= checkIntervalMs) check();
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

/** Whether only the log is lost, and no other log has been started, which the index would belong to. */
function maySaveLog({ database, log, index }: DatabaseFiles): boolean {
  if (findLoss(database) !== undefined || findLoss(index) !== undefined) return false;
  return findLoss(log) !== undefined && !statSync(log.path, { throwIfNoEntry: false })?.size;
}
