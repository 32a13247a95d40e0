// @ts-check
// Runs in a thread of its own, as it stands: a worker is loaded by its path, which is the same in the sources and in the build.
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';

/** How often the log is looked at, in milliseconds. */
const pauseMs = 100;

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

async function run() {
  const database = new Database(workerData.path, { fileMustExist: true, timeout: 1_000 });
  database.pragma('synchronous = FULL');
  database.pragma('cache_size = -256');
  let told = false;
  parentPort?.once('message', () => {
    told = true;
  });
  while (!told) {
    checkpoint(database);
    await sleep(pauseMs);
  }
  database.close();
}

await run().catch((error) => {
  // The driver's own class of errors loses its message on the way out of the thread.
  throw new Error(String(error));
});
