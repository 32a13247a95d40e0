// The service loads this module with `--import` in each of its threads. It records what takes time, and writes the recording when the
// thread ends. The URL of the module names the folder.
import fs from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { PerformanceObserver } from 'node:perf_hooks';
import process from 'node:process';
import { isMainThread, threadId } from 'node:worker_threads';
import type Sqlite from 'better-sqlite3';
import { boundsMs, nowMs, type Recording, type Span, type Stall } from './explain-stalls.js';

const spans: Span[] = [];
const stalls: Stall[] = [];

process.on('exit', () => {
  const folder = new URL(import.meta.url).searchParams.get('folder');
  const recording: Recording = { spans, stalls };
  fs.writeFileSync(`${folder}/${process.pid}-${threadId}.json`, JSON.stringify(recording));
});

/** Runs a function, and records its duration. */
function record<Result>(cause: Span['cause'], run: () => Result): Result {
  const startMs = nowMs();
  try {
    return run();
  } finally {
    spans.push({ cause, startMs, endMs: nowMs() });
  }
}

// The same module that the service loads.
const Database: typeof Sqlite = createRequire(process.argv[1] ?? '')('better-sqlite3');

const { pragma } = Database.prototype;
Database.prototype.pragma = function recordCheckpoint(source, options) {
  const run = () => pragma.call(this, source, options);
  if (!source.startsWith('wal_checkpoint')) return run();
  return record(isMainThread ? 'checkpointEnd' : 'checkpoint', run);
};

if (isMainThread) {
  recordTransactions();
  recordCollections();
  recordStalls();
} else {
  const { fdatasyncSync } = fs;
  fs.fdatasyncSync = (file) => record('checkpoint', () => fdatasyncSync(file));
  syncBuiltinESMExports();
}

/** Records the two parts of a transaction: from BEGIN until COMMIT, and COMMIT. */
function recordTransactions(): void {
  const statements: Sqlite.Statement = Object.getPrototypeOf(new Database(':memory:').prepare('SELECT 1'));
  const { run } = statements;
  let begunMs = 0;
  statements.run = function recordStatement(this: Sqlite.Statement, ...values: unknown[]) {
    if (this.source === 'COMMIT') {
      spans.push({ cause: 'inserts', startMs: begunMs, endMs: nowMs() });
      return record('commit', () => run.apply(this, values));
    }
    if (this.source.startsWith('BEGIN')) begunMs = nowMs();
    return run.apply(this, values);
  };
}

function recordCollections(): void {
  // Performance entries use another clock.
  const offsetMs = nowMs() - performance.now();
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) {
      const startMs = startTime + offsetMs;
      spans.push({ cause: 'gc', startMs, endMs: startMs + duration });
    }
  }).observe({ entryTypes: ['gc'] });
}

/** Starts a timer that is due every millisecond, and records how late it fires. */
function recordStalls(): void {
  const [intervalMs] = boundsMs;
  const readWaitedMs = createWaitReader();
  let lastMs = nowMs();
  let lastWaitedMs = readWaitedMs();
  setInterval(() => {
    const endMs = nowMs();
    const waitedMs = readWaitedMs();
    const startMs = lastMs + intervalMs;
    if (endMs - startMs >= intervalMs) stalls.push({ startMs, endMs, waitedMs: waitedMs - lastWaitedMs });
    lastMs = endMs;
    lastWaitedMs = waitedMs;
  }, intervalMs).unref();
}

/** Returns a function that returns how long the main thread has waited for a CPU in total. Always 0 on systems other than Linux. */
function createWaitReader(): () => number {
  if (process.platform !== 'linux') return () => 0;
  const file = fs.openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  const buffer = Buffer.alloc(64);
  // The file has the run time and the wait time, in nanoseconds.
  return () => Number(buffer.toString('latin1', 0, fs.readSync(file, buffer, 0, 64, 0)).split(' ')[1]) / 1e6;
}
