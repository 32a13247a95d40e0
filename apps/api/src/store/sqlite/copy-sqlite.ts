import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as z from 'zod';
import { OperatorError } from '../../errors/operator-error.js';
import { describeNonDatabase } from '../file-kind.js';
import { allTables } from '../table.js';
import { describeStore, type StoreDescription } from './describe-store.js';
import { findDriverError } from './errors.js';
import { retryWhileBusy } from './transact.js';

const run = promisify(execFile);
/** How long to wait for another process that has locked the file, in milliseconds. */
const busyTimeoutMs = 60_000;

const program = fileURLToPath(new URL('./copy-process.js', import.meta.url));

export interface CheckedCopy extends StoreDescription {
  /** How many records the copy has, by the names of their tables. */
  readonly records: Readonly<Record<string, number>>;
  /** How many tokens are not revoked. */
  readonly tokens: number;
}

/**
 * Copies a consistent snapshot of a plant store while others read and write it, and checks the copy. Pending migrations
 * are not applied.
 *
 * @param copyPath an empty file; the caller syncs it to disk
 * @throws {OperatorError} when the database is not a plant store of this version or an older one, cannot be copied, or
 * the copy fails the check
 */
export async function copySqlite(path: string, copyPath: string, stop: AbortSignal): Promise<CheckedCopy> {
  const problem = `The database ${path} cannot be copied`;
  await describeSqlite(path, problem, stop);
  const counts = await runProgram([copyPath, path], problem, stop);
  return { ...(await describeSqlite(copyPath, problem, stop)), ...counts };
}

/**
 * Checks the private copy of a backup. The backup may be malicious, so no trigger or view in it is run. Merges the write-ahead log next to
 * the copy into its database file.
 *
 * @param checkStore throws for the wrong store, before the slow check of its content
 * @param problem the beginning of the error message
 * @throws {OperatorError} if the copy is damaged, or not a plant store of this version or an older one
 */
export async function checkCopy(
  copyPath: string,
  checkStore: (description: StoreDescription) => void,
  problem: string,
  stop: AbortSignal,
): Promise<CheckedCopy> {
  const description = await describeSqlite(copyPath, problem, stop, 'PRAGMA journal_mode = DELETE');
  checkStore(description);
  return { ...description, ...(await runProgram([copyPath], problem, stop)) };
}

const CountsSchema = z.object({ records: z.record(z.string(), z.number()), tokens: z.number() });

async function runProgram(
  [copyPath, ...source]: readonly [copyPath: string, path?: string],
  problem: string,
  stop: AbortSignal,
): Promise<z.infer<typeof CountsSchema>> {
  stop.throwIfAborted();
  const tables = allTables.map(({ name }) => name).join();
  const files = [copyPath, ...source.filter((path) => path !== undefined)];
  const running = run(process.execPath, [program, tables, ...files]);
  // With the `signal` option, the promise would be rejected before the process has ended.
  const kill = () => running.child.kill('SIGKILL');
  stop.addEventListener('abort', kill);
  try {
    const { stdout } = await running;
    return CountsSchema.parse(JSON.parse(stdout));
  } catch (error) {
    // SQLite deletes its journal unless the process is killed.
    rmSync(`${copyPath}-journal`, { force: true });
    throw stop.aborted
      ? stop.reason
      : new OperatorError(`${problem}: ${advise(describeFailure(error))}`, { cause: error });
  } finally {
    stop.removeEventListener('abort', kill);
  }
}

const FailureSchema = z.object({ stderr: z.string(), signal: z.string().nullish() });

function describeFailure(error: unknown): string {
  const { data: failure } = FailureSchema.safeParse(error);
  if (failure?.signal) return `it was stopped by ${failure.signal}`;
  return failure?.stderr || String(error);
}

/** Advice for SQLite errors that contain none. */
const advice = [
  ['disk is full', 'Free up space on the disks that hold the database and the copy.'],
  ['disk I/O error', 'Use df to look for a full disk, and dmesg for a failing disk.'],
  ['unable to open database file', 'Run this command as the service user, which owns the database.'],
] as const;

function advise(reason: string): string {
  const [, action] = advice.find(([part]) => reason.includes(part)) ?? [];
  return action === undefined ? reason : `${reason.trimEnd()}. ${action}`;
}

/**
 * Describes a plant store of this version or an older one. Other processes can use it at the same time.
 *
 * @param problem the beginning of the error message
 * @param pragmas run first; by default nothing is changed
 * @throws {OperatorError} if the file is not a plant store, or cannot be read
 */
export async function describeSqlite(
  path: string,
  problem: string,
  stop: AbortSignal,
  pragmas?: string,
): Promise<StoreDescription> {
  try {
    return await retryWhileBusy(() => {
      stop.throwIfAborted();
      return describeStore(path, pragmas);
    }, busyTimeoutMs);
  } catch (error) {
    if (error instanceof OperatorError || stop.aborted) throw error;
    const reason = findDriverError(error)?.message ?? String(error);
    const kind = reason.includes('not a database') ? describeNonDatabase(path) : undefined;
    throw new OperatorError(
      `${problem}: ${kind === undefined ? advise(reason) : `${reason}; it is ${kind}`}`,
      {
        cause: error,
      },
    );
  }
}
