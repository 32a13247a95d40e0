import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { DatabaseLog } from '../../database.js';
import type { DatabaseFiles } from '../file-identity.js';

/** A thread that moves what is committed from the write-ahead log into the database. */
export interface Checkpointer {
  /** Why nothing is moved at present; `undefined` when all is well. */
  failure(): string | undefined;
  /** Ends it and resolves once it has let go of the file. */
  stop(): Promise<void>;
}

export interface CheckpointerOptions {
  readonly log: DatabaseLog;
  /** How many pages the log may hold before it must start again, for which writers wait a moment. */
  readonly restartPages?: number;
  /** What the thread runs. */
  readonly program?: URL;
  /** How long to wait before a thread that has ended is started again: doubled each time. In milliseconds. */
  readonly restartDelaysMs?: { readonly first: number; readonly longest: number };
}

/** What the thread reports whenever it changes: a failure, or that there is none. */
interface Report {
  readonly failure: string | null;
}

/**
 * Starts moving commits from the write-ahead log into the database file in a thread of its own, so that no commit
 * pays for it. It changes nothing about durability: the log is synced at each commit. What the thread cannot do it tries
 * again every second, and a thread that ends is started again; meanwhile the writer's own limit (`wal_autocheckpoint`)
 * holds. The log has the beginning of a failure, and its end.
 *
 * @param files of the database; nothing is moved while one of them is gone
 */
export function startCheckpointer(
  files: DatabaseFiles,
  {
    log,
    restartPages = 16_000,
    program = new URL('./checkpoint-worker.js', import.meta.url),
    restartDelaysMs: { first, longest } = { first: 1_000, longest: 30_000 },
  }: CheckpointerOptions,
): Checkpointer {
  const stopping = new AbortController();
  let worker: Worker | undefined;
  let failure: string | undefined;
  let delayMs = first;

  function report(newFailure: string | undefined): void {
    if (failure === undefined && newFailure !== undefined) {
      log.warn({ err: new Error(newFailure) }, 'the write-ahead log is not moved into the database');
    } else if (failure !== undefined && newFailure === undefined) {
      log.info({}, 'the write-ahead log is moved into the database again');
    }
    failure = newFailure;
  }

  /** Runs the thread, and resolves once it has ended, with the reason. */
  async function runThread(): Promise<string> {
    try {
      const thread = new Worker(program, { workerData: { files, restartPages } });
      worker = thread;
      // It alone is no reason for the process to go on.
      thread.unref();
      thread.on('message', (message: Report) => {
        if (message.failure === null) delayMs = first;
        report(message.failure ?? undefined);
      });
      let reason: string | undefined;
      thread.once('error', ({ message }: Error) => {
        reason = message;
      });
      // Only then has it let go of the file.
      return await new Promise((resolve) => {
        thread.once('exit', (code) => resolve(reason ?? `the thread ended with ${code}`));
      });
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    } finally {
      worker = undefined;
    }
  }

  async function keepRunning(): Promise<void> {
    while (!stopping.signal.aborted) {
      const reason = await runThread();
      if (stopping.signal.aborted) return;
      report(reason);
      await sleep(delayMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
      delayMs = Math.min(2 * delayMs, longest);
    }
  }

  const ended = keepRunning();
  return {
    failure: () => failure,
    async stop() {
      stopping.abort();
      worker?.ref();
      worker?.postMessage('stop');
      await ended;
    },
  };
}
