import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as z from 'zod';
import { OperatorError } from '../../errors/operator-error.js';
import { findPendingMigrations, readLedger, readMigrations } from '../migrations.js';
import { createFactory, withConnection } from './connections.js';
import { findDriverError } from './errors.js';
import { ledgerOfSqlite } from './migrate-sqlite.js';
import { retryWhileBusy } from './transact.js';

const run = promisify(execFile);
/** How long to wait for another process that has locked the file, in milliseconds. */
const busyTimeoutMs = 60_000;

const program = fileURLToPath(new URL('./copy-process.js', import.meta.url));

/**
 * Copies a consistent snapshot of a plant store while others read and write it, and checks the copy. Pending migrations
 * are not applied.
 *
 * @param copyPath an empty file; the caller syncs it to disk
 * @param stop aborts the copy
 * @returns how many plants the copy has
 * @throws {OperatorError} when the database is not a plant store of this version or an older one, cannot be copied, or
 * the copy fails the check
 */
export async function copySqlite(path: string, copyPath: string, stop: AbortSignal): Promise<number> {
  await checkLedger(path, stop);
  const plants = await copy(path, copyPath, stop);
  await checkLedger(copyPath, stop);
  return plants;
}

async function copy(path: string, copyPath: string, stop: AbortSignal): Promise<number> {
  stop.throwIfAborted();
  const running = run(process.execPath, [program, path, copyPath]);
  // With the option `signal` the promise would be rejected before the process has ended.
  const kill = () => running.child.kill('SIGKILL');
  stop.addEventListener('abort', kill);
  try {
    const { stdout } = await running;
    return Number(stdout);
  } catch (error) {
    // SQLite deletes its journal, unless it was killed.
    rmSync(`${copyPath}-journal`, { force: true });
    throw stop.aborted ? stop.reason : cannotBeCopied(path, describe(error), error);
  } finally {
    stop.removeEventListener('abort', kill);
  }
}

const FailureSchema = z.object({ stderr: z.string(), signal: z.string().nullish() });

function describe(error: unknown): string {
  const { data: failure } = FailureSchema.safeParse(error);
  if (failure?.signal) return `it was stopped by ${failure.signal}`;
  return failure?.stderr || String(error);
}

/** Checks, without changing it, that a file is a plant store of this version or an older one. */
async function checkLedger(path: string, stop: AbortSignal): Promise<void> {
  try {
    const ledger = await retryWhileBusy(async () => {
      stop.throwIfAborted();
      return await withConnection(createFactory(path), (connection) =>
        readLedger(ledgerOfSqlite(connection)),
      );
    }, busyTimeoutMs);
    if (ledger === undefined) throw new OperatorError(`The database ${path} is empty.`);
    findPendingMigrations(readMigrations('sqlite'), ledger);
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw cannotBeCopied(path, findDriverError(error)?.message ?? String(error), error);
  }
}

function cannotBeCopied(path: string, reason: string, cause: unknown): OperatorError {
  return new OperatorError(`The database ${path} cannot be copied: ${reason}`, { cause });
}
