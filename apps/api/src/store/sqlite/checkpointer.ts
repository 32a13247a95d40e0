import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { messageOf } from '../../errors/operator-error.js';
import type { Checkpoint } from '../../observe/metrics.js';
import type { DatabaseLog } from '../database.js';
import type { DatabaseFiles } from './file-identity.js';

/** A thread that moves commits from the write-ahead log into the database. */
export interface Checkpointer {
  /** Why commits are not being moved; `undefined` if they are. */
  failure(): string | undefined;
  /** For how long something in the log has not been moved, in milliseconds; 0 if nothing is left. */
  overdueMs(): number;
  /** Empties the log soon, in which the texts of deleted records remain until they are overwritten. */
  truncateLog(): void;
  /** Stops the thread and resolves once it has released the file. */
  stop(): Promise<void>;
}

export interface CheckpointerOptions {
  readonly log: DatabaseLog;
  /**
   * Completes a checkpoint on the connection that writes, between two commits, after which the next one restarts the log. Resolves with
   * whether all of the log is moved then.
   */
  readonly moveRest?: () => Promise<boolean>;
  /** Called after each checkpoint that moved something. */
  readonly onCheckpoint?: ((checkpoint: Checkpoint) => void) | undefined;
  /** The size of the log, in pages, at which it is restarted, for which writers wait for a moment. */
  readonly restartPages?: number;
  /** How long after the last truncation of the log the next one is at the earliest, in milliseconds. */
  readonly truncateIntervalMs?: number;
  /** The program of the thread. */
  readonly program?: URL;
  /** The delays before a thread that has ended is restarted, doubled each time, in milliseconds. */
  readonly restartDelaysMs?: { readonly first: number; readonly longest: number };
}

/** A message of the thread: on each change its failure, or `null` when there is none any more; a checkpoint; or that the rest of the log is to be moved. */
type Report = { readonly failure: string | null } | { readonly checkpoint: Checkpoint } | 'rest';

/**
 * Starts moving commits from the write-ahead log into the database file in a separate thread, so that no commit pays
 * for it. This does not affect durability: the log is synced at each commit. The thread retries after a failure, and a
 * thread that ends is restarted; meanwhile SQLite's own limit (`wal_autocheckpoint`) applies. The beginning and the end
 * of a failure are logged.
 *
 * @param files of the database; nothing is moved while one of them is missing
 */
export function startCheckpointer(
  files: DatabaseFiles,
  {
    log,
    moveRest = async () => false,
    onCheckpoint,
    restartPages = 16_000,
    truncateIntervalMs = 10_000,
    program = new URL('./checkpoint-worker.js', import.meta.url),
    restartDelaysMs: { first, longest } = { first: 1_000, longest: 30_000 },
  }: CheckpointerOptions,
): Checkpointer {
  const stopping = new AbortController();
  let thread: Worker | undefined;
  let failure: string | undefined;
  /** Since when moving has failed, and since when a part was left that a reader still needs; never by default. */
  let failedSince = Number.POSITIVE_INFINITY;
  let leftSince = Number.POSITIVE_INFINITY;
  let delayMs = first;

  function report(newFailure: string | undefined): void {
    if (failure === undefined && newFailure !== undefined) {
      log.warn({ err: new Error(newFailure) }, 'the write-ahead log is not moved into the database');
    } else if (failure !== undefined && newFailure === undefined) {
      log.info({}, 'the write-ahead log is moved into the database again');
    }
    failure = newFailure;
    failedSince = sinceNowIf(failure !== undefined, failedSince);
  }

  function onReport(message: Report): void {
    if (message === 'rest') {
      void moveRest().then((isMoved) => isMoved || thread?.postMessage('rest is left'));
      return;
    }
    if ('checkpoint' in message) {
      leftSince = sinceNowIf(!message.checkpoint.isMoved, leftSince);
      onCheckpoint?.(message.checkpoint);
      return;
    }
    if (message.failure === null) delayMs = first;
    report(message.failure ?? undefined);
  }

  /** Runs the thread, and resolves with the reason once it has ended, and so released the file. */
  function runThread(): Promise<string> {
    try {
      const workerData = { files, restartPages, truncateIntervalMs };
      // Node.js would close what a thread has opened when it ends, which releases the locks of other connections.
      const worker = new Worker(program, { workerData, trackUnmanagedFds: false });
      // The thread alone must not keep the process running.
      worker.unref();
      worker.on('message', onReport);
      thread = worker;
      return waitForExit(worker);
    } catch (error) {
      return Promise.resolve(messageOf(error));
    }
  }

  async function keepRunning(): Promise<void> {
    while (!stopping.signal.aborted) {
      const reason = await runThread();
      thread = undefined;
      // The next thread reports it again if it is still so, and nothing if the log is empty.
      leftSince = Number.POSITIVE_INFINITY;
      if (stopping.signal.aborted) return;
      report(reason);
      await sleep(delayMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
      delayMs = Math.min(2 * delayMs, longest);
    }
  }

  const ended = keepRunning();
  return {
    failure: () => failure,
    overdueMs: () => Math.max(0, performance.now() - Math.min(failedSince, leftSince)),
    // A thread that starts does so in any case.
    truncateLog: () => thread?.postMessage('truncate'),
    async stop() {
      stopping.abort();
      thread?.ref();
      thread?.postMessage('stop');
      await ended;
    },
  };
}

/** Since when a condition holds: the earlier time if it held before, and never if it does not. */
function sinceNowIf(holds: boolean, before: number): number {
  return holds ? Math.min(before, performance.now()) : Number.POSITIVE_INFINITY;
}

function waitForExit(worker: Worker): Promise<string> {
  let reason: string | undefined;
  worker.once('error', ({ message }: Error) => {
    reason = message;
  });
  return new Promise((resolve) => {
    worker.once('exit', (code) => resolve(reason ?? `the thread ended with ${code}`));
  });
}
