import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** A thread that moves what is committed from the write-ahead log into the database. */
export interface Checkpointer {
  /** Ends it and resolves once it has let go of the file. */
  stop(): Promise<void>;
}

/**
 * Starts moving commits from the write-ahead log into the database file in a thread of its own, so that no commit
 * pays for it. It changes nothing about durability: the log is synced at each commit. Should the thread fail, the
 * process warns, and the writer's own limit (`wal_autocheckpoint`) takes over.
 *
 * @param path the database file, which must exist
 * @param restartPages how many pages the log may hold before it must start anew, for which writers wait a moment
 */
export function startCheckpointer(path: string, restartPages = 16_000): Checkpointer {
  const worker = new Worker(new URL('./checkpoint-worker.js', import.meta.url), {
    workerData: { path, restartPages },
  });
  const ended = once(worker, 'exit').catch(() => undefined);
  worker.on('error', ({ message }: Error) =>
    process.emitWarning(`The write-ahead log is no longer moved by a thread of its own: ${message}`),
  );
  // It alone is no reason for the process to go on.
  worker.unref();
  return {
    async stop() {
      worker.ref();
      worker.postMessage('stop');
      await ended;
    },
  };
}
