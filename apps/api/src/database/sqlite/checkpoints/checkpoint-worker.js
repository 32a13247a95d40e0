// @ts-check
// Runs in a thread of its own, as it stands: a worker is loaded by its path, which is the same in the sources and in the build.
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { findLoss } from '../file-identity.js';

/** How often the log is looked at, and how long to wait after a failure, in milliseconds. */
const intervalMs = 100;
const retryDelayMs = 1_000;

/** @type {import('../file-identity.js').DatabaseFiles} */
const files = workerData.files;

/** What was reported last: a failure, or `null` for a success. */
let reported = /** @type {string | null | undefined} */ (undefined);

/** @param {string | null} failure */
function report(failure) {
  if (failure === reported) return;
  reported = failure;
  parentPort?.postMessage({ failure });
}

/**
 * Copies what the write-ahead log holds into the database, again and again, without making a writer wait. Under
 * steady writing the log may never become empty by itself; past `restartPages` pages the writers are held up for what has
 * come since, and the log starts anew. Not while somebody reads an older state, as a backup does for long: the log cannot
 * start anew before that is over, and the writers would be held up in vain.
 *
 * @param {import('better-sqlite3').Database} database
 */
function checkpoint(database) {
  const { log, checkpointed } = runCheckpoint(database, 'PASSIVE');
  if (log > workerData.restartPages && checkpointed === log) runCheckpoint(database, 'RESTART');
}

/**
 * @param {import('better-sqlite3').Database} database
 * @param {'PASSIVE' | 'RESTART'} mode
 * @returns {{ log: number, checkpointed: number }} how many pages the log holds, and how many of them the database has
 */
function runCheckpoint(database, mode) {
  const [row] = /** @type {[{ log: number, checkpointed: number }]} */ (
    database.pragma(`wal_checkpoint(${mode})`)
  );
  return row;
}

/** A log that was put in place of another is not the one that its index, and so a checkpoint, goes by. */
function requireFiles() {
  const loss = Object.values(files)
    .map(findLoss)
    .find((text) => text !== undefined);
  if (loss !== undefined) throw new Error(loss);
}

function open() {
  const database = new Database(files.database.path, { fileMustExist: true, timeout: 1_000 });
  try {
    database.pragma('synchronous = FULL');
    database.pragma('cache_size = -256');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** @param {unknown} error */
function describe(error) {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error ? `${error.code}: ${error.message}` : error.message;
}

/** @param {AbortSignal} stop */
async function run(stop) {
  let database = /** @type {import('better-sqlite3').Database | undefined} */ (undefined);
  while (!stop.aborted) {
    try {
      requireFiles();
      database ??= open();
      checkpoint(database);
      report(null);
    } catch (error) {
      // The disk is full, there are too many open files, …: most of it passes, and then a new connection works.
      database?.close();
      database = undefined;
      report(describe(error));
    }
    const delayMs = database === undefined ? retryDelayMs : intervalMs;
    await sleep(delayMs, undefined, { signal: stop }).catch(() => undefined);
  }
  database?.close();
}

const stopping = new AbortController();
parentPort?.once('message', () => stopping.abort());
await run(stopping.signal);
