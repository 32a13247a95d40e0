// @ts-check
// The program of the checkpointer's thread. It is JavaScript because the sources and the build load it by the same path.
import { fdatasyncSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { requireFiles } from './file-identity.js';
import { openFile } from './open-connection.js';

/** The interval between checkpoints, in milliseconds. */
const intervalMs = 100;
/** The delay after a failure, in milliseconds. */
const retryDelayMs = 1_000;

/** How long this connection waits for locks, in milliseconds. */
const busyTimeoutMs = 1_000;
/** How long a truncation waits for locks, in milliseconds. It blocks writers while it waits. */
const truncateTimeoutMs = 5;

/** How often a checkpoint catches up with writers before it blocks them. */
const maxPasses = 4;
/** How many remaining pages are few enough to block writers while they are copied. */
const fewPages = 300;

/** How often a truncation is attempted when the thread stops. */
const lastAttempts = 20;
/** The delay between these attempts, in milliseconds. */
const lastAttemptDelayMs = 50;

/** @typedef {import('better-sqlite3').Database} Connection */

/** @type {import('./file-identity.js').DatabaseFiles} */
const files = workerData.files;

/** The last report: a failure, or `null` for a success. */
let reported = /** @type {string | null | undefined} */ (undefined);

function report(/** @type {string | null} */ failure) {
  if (failure === reported) return;
  reported = failure;
  parentPort?.postMessage({ failure });
}

/**
 * Copies the write-ahead log into the database without blocking writers. If the log grows beyond `restartPages`, this function asks the
 * writing connection to finish the copy between two commits, so that the next commit restarts the log. If that fails because other
 * processes also write, it blocks all writers and restarts the log itself. It does neither while a reader holds an older snapshot (such as
 * a backup), because the log cannot restart until that reader ends.
 */
function checkpoint(/** @type {Connection} */ database) {
  const startedAt = performance.now();
  const { busy, log, checkpointed } = runCheckpoint(database, 'PASSIVE');
  // Another process is running a checkpoint.
  if (busy === 1) return;
  const isFullyCopied = checkpointed === log;
  const shouldTruncate = isFullyCopied && isTruncationDue && startedAt >= truncateFrom;
  const shouldRestart = isFullyCopied && !shouldTruncate && log > workerData.restartPages;
  if (shouldTruncate || shouldRestart) catchUp(database, log);
  if (shouldTruncate) truncate(database);
  else if (shouldRestart && writerCouldNotRestart) runCheckpoint(database, 'RESTART');
  else if (shouldRestart) parentPort?.postMessage('restart-log');
  writerCouldNotRestart = false;
  const found = `${log} ${checkpointed}`;
  if (found === lastFound) return;
  lastFound = found;
  const durationMs = performance.now() - startedAt;
  parentPort?.postMessage({ checkpoint: { logPages: log, isMoved: isFullyCopied, durationMs } });
}

/** The number of pages in the log, and how many of them are in the database, as last reported. */
let lastFound = '';

/** Whether the writing connection failed to copy the rest. */
let writerCouldNotRestart = false;

/**
 * Repeats passive checkpoints until few new pages are left, so that writers are blocked only for those. A checkpoint that reaches the end
 * of the log also syncs the pages of earlier checkpoints, which takes a tenth of a second in a large store. So this function syncs them
 * first. `moved` is the number of pages that were already copied.
 */
function catchUp(/** @type {Connection} */ database, /** @type {number} */ moved) {
  for (let pass = 1; pass <= maxPasses; pass++) {
    // Never closed, because closing it would release all locks of the process on the file (https://www.sqlite.org/howtocorrupt.html,
    // section 2.2).
    descriptor ??= openSync(files.database.path, 'r+');
    fdatasyncSync(descriptor);
    const { busy, log, checkpointed } = runCheckpoint(database, 'PASSIVE');
    if (busy === 1 || checkpointed !== log || log - moved < fewPages) return;
    moved = log;
  }
}

/** The descriptor of the database file, opened at the first sync. */
let descriptor = /** @type {number | undefined} */ (undefined);

/** Whether the log can contain deleted data: at the start, because of another process, and after each `truncate` message. */
let isTruncationDue = true;

/** The earliest time of the next truncation, as `performance.now()` returns it. */
let truncateFrom = 0;

/**
 * Copies the rest of the log into the database and truncates the log file, because deleted data stays in it until it is overwritten. If a
 * writer or reader delays the truncation for longer than a moment, it stays due.
 */
function truncate(/** @type {Connection} */ database) {
  database.pragma(`busy_timeout = ${truncateTimeoutMs}`);
  isTruncationDue = runCheckpoint(database, 'TRUNCATE').busy === 1;
  database.pragma(`busy_timeout = ${busyTimeoutMs}`);
  if (!isTruncationDue) truncateFrom = performance.now() + workerData.truncateIntervalMs;
}

/**
 * Runs a checkpoint. Returns whether another connection blocked it, the number of pages in the log, and how many of them are in the
 * database.
 */
function runCheckpoint(
  /** @type {Connection} */ database,
  /** @type {'PASSIVE' | 'RESTART' | 'TRUNCATE'} */ mode,
) {
  const [row] = /** @type {[{ busy: 0 | 1, log: number, checkpointed: number }]} */ (
    database.pragma(`wal_checkpoint(${mode})`)
  );
  return row;
}

/**
 * These settings have the same durability as the writing connection: once the log restarts, its old contents exist only in the database.
 */
const pragmas = 'PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA cache_size = -256';

const open = () =>
  openFile(files.database.path, pragmas, () => requireFiles(files), { timeout: busyTimeoutMs });

async function run(/** @type {AbortSignal} */ stop) {
  let database = /** @type {Connection | undefined} */ (undefined);
  while (!stop.aborted) {
    try {
      requireFiles(files);
      database ??= open();
      checkpoint(database);
      report(null);
    } catch (error) {
      // For example, the disk is full or too many files are open. Most failures are temporary, and a new connection works later.
      database?.close();
      database = undefined;
      const { message, code } = /** @type {Error & { code?: string }} */ (error);
      report(code === undefined ? message : `${code}: ${message}`);
    }
    const delayMs = database === undefined ? retryDelayMs : intervalMs;
    await sleep(delayMs, undefined, { signal: stop }).catch(() => undefined);
  }
  if (database !== undefined) await finish(database);
}

/**
 * Truncates the log if that is due. This matters if other processes have the log open. Otherwise, closing the last connection deletes it.
 */
async function finish(/** @type {Connection} */ database) {
  truncateFrom = 0;
  try {
    for (let attempt = 1; isTruncationDue && attempt <= lastAttempts; attempt++) {
      if (attempt > 1) await sleep(lastAttemptDelayMs);
      requireFiles(files);
      checkpoint(database);
    }
  } catch {
    // Nothing is lost: the data remains in the log.
  } finally {
    database.close();
  }
}

const stopping = new AbortController();
parentPort?.on('message', (message) => {
  if (message === 'truncate') isTruncationDue = true;
  else if (message === 'restart-failed') writerCouldNotRestart = true;
  else stopping.abort();
});
await run(stopping.signal);
parentPort?.close();
