import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { messageOf } from '../../errors/operator-error.js';
import type { Checkpoint } from '../../observe/metrics.js';
import type { DatabaseLog } from '../database.js';
import type { DatabaseFiles } from './file-identity.js';

/** A thread that moves commits from the write-ahead log into the database. */
export type Checkpointer = ReturnType<typeof createCheckpointer>;

export interface CheckpointerOptions {
  readonly log: DatabaseLog;
  /**
   * Completes a checkpoint on the writing connection, between two commits, so that the next commit restarts the log. Resolves to whether
   * the whole log was copied.
   */
  readonly moveRest?: () => Promise<boolean>;
  readonly onCheckpoint?: ((checkpoint: Checkpoint) => void) | undefined;
  /** The size of the log at which it is restarted, in pages. Writers wait for a moment during a restart. */
  readonly restartPages?: number;
  /** The minimum time between truncations of the log, in milliseconds. */
  readonly truncateIntervalMs?: number;
  readonly program?: URL;
  /** The delay before a thread that ended is started again, in milliseconds. */
  readonly restartDelayMs?: number;
}

/** A message from the thread: a changed failure (`null` once it is over), a checkpoint, or a request to move the rest of the log. */
type Report = { readonly failure: string | null } | { readonly checkpoint: Checkpoint } | 'restart-log';

/**
 * Creates a checkpointer, which, once started, moves commits from the write-ahead log into the database file in a separate thread, so that no
 * commit pays for it. This does not affect durability: the log is synced at each commit. The thread retries after a failure, and is restarted
 * if it ends; until then SQLite's own limit (`wal_autocheckpoint`) applies. The beginning and the end of a failure are logged.
 *
 * @param files the files of the database; nothing is moved while one of them is missing
 */
export function createCheckpointer(
  files: DatabaseFiles,
  {
    log,
    moveRest = async () => false,
    onCheckpoint,
    restartPages = 16_000,
    truncateIntervalMs = 10_000,
    program = new URL('./checkpoint-worker.js', import.meta.url),
    restartDelayMs = 1_000,
  }: CheckpointerOptions,
) {
  const stopping = new AbortController();
  let thread: Worker | undefined;
  let failure: string | undefined;
  /** When checkpoints began to fail, and when a reader began to keep part of the log from being moved; infinity if they work. */
  let failedSince = Number.POSITIVE_INFINITY;
  let unmovedSince = Number.POSITIVE_INFINITY;

  function report(newFailure: string | undefined): void {
    if (failure === undefined && newFailure !== undefined) {
      log.warn({ err: new Error(newFailure) }, 'the write-ahead log is not being checkpointed');
    } else if (failure !== undefined && newFailure === undefined) {
      log.info({}, 'the write-ahead log is being checkpointed again');
    }
    failure = newFailure;
    failedSince = trackStart(failure !== undefined, failedSince);
  }

  function onReport(message: Report): void {
    if (message === 'restart-log') {
      void moveRest().then((isMoved) => isMoved || thread?.postMessage('restart-failed'));
      return;
    }
    if ('checkpoint' in message) {
      unmovedSince = trackStart(!message.checkpoint.isMoved, unmovedSince);
      onCheckpoint?.(message.checkpoint);
      return;
    }
    report(message.failure ?? undefined);
  }

  /** Runs the thread. Resolves with the reason once the thread has ended, and so has released the file. */
  function runThread(): Promise<string> {
    try {
      const workerData = { files, restartPages, truncateIntervalMs };
      // With tracking, Node.js would close the files of a thread that ends, which releases the locks of other connections.
      const worker = new Worker(program, { workerData, trackUnmanagedFds: false });
      // The thread must not keep the process running.
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
      if (stopping.signal.aborted) return;
      report(reason);
      await sleep(restartDelayMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
    }
  }

  let ended: Promise<void> | undefined;
  return {
    /** Starts the thread, unless it was started already. */
    start(): void {
      ended ??= keepRunning();
    },
    /** Why commits are not being moved; `undefined` if they are. */
    failure: () => failure,
    /** How long data in the log has been waiting to be moved, in milliseconds; 0 if none is waiting. */
    overdueMs: () => Math.max(0, performance.now() - Math.min(failedSince, unmovedSince)),
    /** Truncates the log soon, because texts of deleted records stay in it until they are overwritten. A new thread always does so. */
    truncateLog: () => thread?.postMessage('truncate'),
    /** Stops the thread and resolves once it has released the file. */
    async stop(): Promise<void> {
      stopping.abort();
      thread?.ref();
      thread?.postMessage('stop');
      await ended;
    },
  };
}

/** Returns when a condition began to hold: unchanged if it already held, infinity if it does not hold. */
function trackStart(holds: boolean, before: number): number {
  return holds ? Math.min(before, performance.now()) : Number.POSITIVE_INFINITY;
}

function waitForExit(worker: Worker): Promise<string> {
  let reason: string | undefined;
  worker.once('error', ({ message }: Error) => {
    reason = message;
  });
  return new Promise((resolve) => {
    worker.once('exit', (code) => resolve(reason ?? `the thread exited with code ${code}`));
  });
}
