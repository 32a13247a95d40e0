// @ts-check
// The program of the checkpointer's thread. It is JavaScript, since the sources and the build load it by the same path.
import { fdatasyncSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { requireFiles } from './file-identity.js';

/** The interval between checkpoints, and the delay after a failure, in milliseconds. */
const intervalMs = 100;
const retryDelayMs = 1_000;

/** How long this connection waits for others, in milliseconds, and how long where writers would wait for it meanwhile. */
const busyTimeoutMs = 1_000;
const truncateTimeoutMs = 5;

/** How often it catches up with writers, and how many pages are few enough to hold them up for. */
const maxPasses = 4;
const fewPages = 300;

/** How often a truncation is tried at the end, and the delay between these attempts, in milliseconds. */
const lastAttempts = 20;
const lastAttemptDelayMs = 50;

/** @type {import('./file-identity.js').DatabaseFiles} */
const files = workerData.files;

/** The last report: a failure, or `null` for a success. */
let reported = /** @type {string | null | undefined} */ (undefined);

/** @param {string | null} failure */
function report(failure) {
  if (failure === reported) return;
  reported = failure;
  parentPort?.postMessage({ failure });
}

/**
 * Copies the contents of the write-ahead log into the database, without blocking writers. Under steady writing the log
 * may never be restarted this way. So beyond `restartPages` pages the connection that writes is asked to copy the rest between
 * two commits, and the next one restarts the log from its beginning. Where that was in vain, since other processes write, too,
 * all writers are blocked for as long. Neither is done while a reader uses an older snapshot, as a backup does for long:
 * the log cannot be restarted before that ends, and writers would be blocked for nothing.
 *
 * @param {import('better-sqlite3').Database} database
 */
function checkpoint(database) {
  const startedAt = performance.now();
  const { busy, log, checkpointed } = runCheckpoint(database, 'PASSIVE');
  // Another process is just doing the same.
  if (busy === 1) return;
  const isMoved = checkpointed === log;
  const isTruncated = isMoved && isTruncationDue && startedAt >= truncateFrom;
  const isRestarted = isMoved && !isTruncated && log > workerData.restartPages;
  if (isTruncated || isRestarted) catchUp(database, log);
  if (isTruncated) truncate(database);
  else if (isRestarted && isRestLeft) runCheckpoint(database, 'RESTART');
  else if (isRestarted) parentPort?.postMessage('rest');
  isRestLeft = false;
  const found = `${log} ${checkpointed}`;
  if (found === lastFound) return;
  lastFound = found;
  const durationMs = performance.now() - startedAt;
  parentPort?.postMessage({ checkpoint: { logPages: log, isMoved, durationMs } });
}

/** The pages in the log and the database at the last checkpoint, which moved nothing if they were the same before. */
let lastFound = '0 0';

/** Whether the connection that writes could not copy the rest. */
let isRestLeft = false;

/**
 * Moves what was written meanwhile, until little is left, so that writers wait for that alone. Of a checkpoint that reaches the end of
 * the log, SQLite syncs the database, and all that those before it have copied, which in a large store takes a tenth of a second: so
 * that is on disk before.
 *
 * @param {import('better-sqlite3').Database} database
 * @param {number} moved how many pages of the log were moved already
 */
function catchUp(database, moved) {
  for (let pass = 1; pass <= maxPasses; pass++) {
    // Never closed: that would release all locks which the process has on the file (https://www.sqlite.org/howtocorrupt.html, section 2.2).
    descriptor ??= openSync(files.database.path, 'r+');
    fdatasyncSync(descriptor);
    const { busy, log, checkpointed } = runCheckpoint(database, 'PASSIVE');
    if (busy === 1 || checkpointed !== log || log - moved < fewPages) return;
    moved = log;
  }
}

/** The database file, once it was synced. */
let descriptor = /** @type {number | undefined} */ (undefined);

/** Whether the log may hold what was deleted: since a message, and at first what another process has left there. */
let isTruncationDue = true;

/** When the next truncation may be, by the clock of `performance`. */
let truncateFrom = 0;

/**
 * Moves the rest of the log into the database and empties its file, in which what was deleted remains until it is overwritten.
 * If a writer or a reader is in the way for longer than a moment, it remains due.
 *
 * @param {import('better-sqlite3').Database} database
 */
function truncate(database) {
  database.pragma(`busy_timeout = ${truncateTimeoutMs}`);
  isTruncationDue = runCheckpoint(database, 'TRUNCATE').busy === 1;
  database.pragma(`busy_timeout = ${busyTimeoutMs}`);
  if (!isTruncationDue) truncateFrom = performance.now() + workerData.truncateIntervalMs;
}

/**
 * @param {import('better-sqlite3').Database} database
 * @param {'PASSIVE' | 'RESTART' | 'TRUNCATE'} mode
 * @returns {{ busy: 0 | 1, log: number, checkpointed: number }} whether others were in the way, the pages in the log, and those
 * of them that the database has
 */
function runCheckpoint(database, mode) {
  const [row] = /** @type {[{ busy: 0 | 1, log: number, checkpointed: number }]} */ (
    database.pragma(`wal_checkpoint(${mode})`)
  );
  return row;
}

function open() {
  const database = new Database(files.database.path, { fileMustExist: true, timeout: busyTimeoutMs });
  try {
    // The file is open, and the first statement opens the log, which belongs to none but the same file.
    requireFiles(files);
    // As the connection that writes: once the log begins anew, what it had is in the database alone.
    database.pragma('synchronous = FULL');
    database.pragma('fullfsync = ON');
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
      requireFiles(files);
      database ??= open();
      checkpoint(database);
      report(null);
    } catch (error) {
      // For example, the disk is full or too many files are open. Most failures pass, and then a new connection works.
      database?.close();
      database = undefined;
      report(describe(error));
    }
    const delayMs = database === undefined ? retryDelayMs : intervalMs;
    await sleep(delayMs, undefined, { signal: stop }).catch(() => undefined);
  }
  if (database !== undefined) await finish(database);
}

/**
 * Truncates the log if that is due, which matters where other processes have it open: otherwise it is deleted with the last
 * connection.
 *
 * @param {import('better-sqlite3').Database} database
 */
async function finish(database) {
  truncateFrom = 0;
  try {
    for (let attempt = 1; isTruncationDue && attempt <= lastAttempts; attempt++) {
      if (attempt > 1) await sleep(lastAttemptDelayMs);
      requireFiles(files);
      checkpoint(database);
    }
  } catch {
    // Nothing is lost: it remains in the log.
  } finally {
    database.close();
  }
}

const stopping = new AbortController();
parentPort?.on('message', (message) => {
  if (message === 'truncate') isTruncationDue = true;
  else if (message === 'rest is left') isRestLeft = true;
  else stopping.abort();
});
await run(stopping.signal);
parentPort?.close();
