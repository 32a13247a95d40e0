import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { overloadErrors } from '../../errors/service-error.js';
import type { ListedPlants, ListLimits, ListQuery, PlantStore } from '../../plants/plant-store.js';
import type { DatabaseFiles } from './file-identity.js';

/** How many lists may wait, the one that is being read among them. */
const maxWaiting = 64;

/** Reads lists in a thread of its own, so that creates do not wait for them. */
export interface ListThread {
  readonly list: PlantStore['list'];
  /** Rejects lists that wait, and resolves once the file is released. */
  close(): Promise<void>;
}

/** What the thread answers: a list, or an error of SQLite. */
type Answer = { readonly listed: ListedPlants } | { readonly error: { message: string; code?: string } };

/**
 * Creates a reader of lists. Its thread starts with the first one, and lists are read one after the other.
 *
 * @param files of the database
 */
export function createListThread(files: DatabaseFiles): ListThread {
  let thread: Worker | undefined;
  let waiting = 0;
  let previous: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  async function read(query: ListQuery, limits: ListLimits): Promise<ListedPlants> {
    if (isClosed) throw new Error('The database is closed');
    thread ??= startThread();
    const running = thread;
    running.ref();
    try {
      running.postMessage({ query, limits });
      // Rejects with what the thread ended with, if it did.
      const [answer]: Answer[] = await once(running, 'message');
      if (answer === undefined) throw new Error('The thread of lists gave no answer');
      if ('listed' in answer) return answer.listed;
      throw Object.assign(new Error(answer.error.message), { code: answer.error.code });
    } finally {
      running.unref();
    }
  }

  function startThread(): Worker {
    const worker = new Worker(new URL('./list-worker.js', import.meta.url), { workerData: { files } });
    // The next list starts another one.
    const forget = () => {
      if (thread === worker) thread = undefined;
    };
    worker.on('error', forget).on('exit', forget);
    return worker;
  }

  return {
    list(query, limits) {
      if (waiting >= maxWaiting) return Promise.reject(overloadErrors.waiting_reads);
      waiting++;
      const listed = previous.then(() => read(query, limits));
      previous = listed
        .catch(() => undefined)
        .finally(() => {
          waiting--;
        });
      return listed;
    },
    async close() {
      isClosed = true;
      await previous;
      if (thread === undefined) return;
      thread.ref();
      thread.postMessage(null);
      await once(thread, 'exit');
    },
  };
}
