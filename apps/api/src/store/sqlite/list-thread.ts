import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { overloadErrors } from '../../errors/service-error.js';
import type { ListedPlants, ListLimits, ListQuery, StoredRecord } from '../../plants/plant-store.js';
import type { DatabaseFiles } from './file-identity.js';

/** How many lists may wait, the one that is being read among them. */
const maxWaiting = 64;

/** Lists plants as `PlantStore.list` does, and tombstones besides if the query says so. */
export type ListRecords = (query: RecordQuery, limits: ListLimits) => Promise<ListedRecords>;

/** Which plants, and whether all tombstones besides. */
export type RecordQuery = ListQuery & { readonly tombstones?: boolean };

/** As `ListedPlants`. */
type ListedRecords = { readonly plants: readonly StoredRecord[]; readonly last: ListedPlants['last'] };

/** Reads lists in a thread of its own, so that creates do not wait for them. */
export interface ListThread {
  readonly list: ListRecords;
  /** Rejects lists that wait, and resolves once the file is released. */
  close(): Promise<void>;
}

/**
 * How many times as long as it took the reader rests after a list while plants are being stored: on a machine with few cores the
 * thread, and the replies, would take processor time that creates need.
 */
const restFactor = 20;

/** The plants of a list, column by column. */
export interface ListedColumns {
  readonly ids: readonly bigint[];
  readonly names: readonly string[];
  readonly tags: readonly (string | null)[];
  readonly times: readonly (number | null)[];
  readonly deleted: readonly boolean[];
  readonly last: ListedPlants['last'];
}

/** What the thread answers: a list, or an error of SQLite. */
type Answer = { readonly listed: ListedColumns } | { readonly error: { message: string; code?: string } };

/**
 * Creates a reader of lists. Its thread starts with the first one, and lists are read one after the other.
 *
 * @param files of the database
 * @param isStoring whether plants are being stored
 */
export function createListThread(files: DatabaseFiles, isStoring: () => boolean): ListThread {
  let thread: Worker | undefined;
  let waiting = 0;
  let previous: Promise<unknown> = Promise.resolve();
  const closing = new AbortController();

  async function read(query: RecordQuery, limits: ListLimits): Promise<ListedRecords> {
    if (closing.signal.aborted) throw new Error('The database is closed');
    thread ??= startThread();
    const running = thread;
    running.ref();
    try {
      running.postMessage({ query, limits });
      // Rejects with what the thread ended with, if it did.
      const [answer]: Answer[] = await once(running, 'message');
      if (answer === undefined) throw new Error('The thread of lists gave no answer');
      if ('listed' in answer) return toRecords(answer.listed);
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

  /** Resolves when the next list may be read. */
  async function rest(listed: Promise<unknown>): Promise<void> {
    const startedAt = await previous.then(() => performance.now());
    await listed.catch(() => undefined);
    if (!isStoring()) return;
    const restMs = restFactor * (performance.now() - startedAt);
    await sleep(restMs, undefined, { signal: closing.signal }).catch(() => undefined);
  }

  return {
    list(query, limits) {
      if (waiting >= maxWaiting) return Promise.reject(overloadErrors.waiting_reads);
      waiting++;
      const listed = previous.then(() => read(query, limits));
      previous = rest(listed);
      return listed.finally(() => {
        waiting--;
      });
    },
    async close() {
      closing.abort();
      await previous;
      if (thread === undefined) return;
      thread.ref();
      thread.postMessage(null);
      await once(thread, 'exit');
    },
  };
}

function toRecords({ ids, names, tags, times, deleted, last }: ListedColumns): ListedRecords {
  const plants = ids.map((id, index): StoredRecord => {
    if (deleted[index]) return { id, deleted: true };
    const tag = tags[index] ?? null;
    const addedAt = times[index] ?? null;
    return {
      ...{ id, name: names[index] ?? '' },
      ...(tag !== null && { tag }),
      ...(addedAt !== null && { addedAt }),
    };
  });
  return { plants, last };
}
