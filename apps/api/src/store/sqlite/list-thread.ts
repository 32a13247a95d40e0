import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { withTimeout } from '../../runtime/timing.js';
import { databaseUnavailable } from '../database.js';
import type { Listed, ListLimits, ListPosition, ListQuery, StoredRecord } from '../store.js';
import type { Table } from '../table.js';
import type { DatabaseFiles } from './file-identity.js';

/** Lists plants as `Store.list` does, and tombstones besides if the query says so. */
export type ListRecords<Resource> = (
  query: RecordQuery,
  limits: ListLimits,
) => Promise<ListedRecords<Resource>>;

/** Which plants, and whether all tombstones besides. */
export type RecordQuery = ListQuery & { readonly tombstones?: boolean };

/** As `Listed`. */
type ListedRecords<Resource> = Omit<Listed<Resource>, 'plants'> & {
  readonly plants: readonly StoredRecord<Resource>[];
};

/** Reads lists in a thread of its own, so that creates do not wait for them. */
export interface ListThread<Resource> {
  readonly list: ListRecords<Resource>;
  /** Resolves once no list is being read, and the file is released. */
  close(): Promise<void>;
}

/** The plants of a list. */
export interface ListedColumns {
  /** The values of each column of the table, which the other thread reads in half the time that rows take. */
  readonly columns: readonly (readonly unknown[])[];
  readonly last: ListPosition | undefined;
  readonly readMs: number;
}

/** What the thread answers: a list, or an error of SQLite. */
type Answer = { readonly listed: ListedColumns } | { readonly error: { message: string; code?: string } };

/** How the thread is run. */
interface ListThreadOptions {
  /** How long it may take to answer, in milliseconds: much longer than any list takes, unless the disk does not answer. */
  readonly timeoutMs?: number;
  /** Its program. */
  readonly program?: URL;
}

/** How many threads may hang before no other one is started. */
const maxHanging = 3;

/**
 * Creates a reader of lists. Its thread starts with the first one, and lists are read one after the other. A thread that hangs is
 * left alone, and another one reads the next list.
 *
 * @param files of the database
 */
export function createListThread<Resource>(
  files: DatabaseFiles,
  table: Table<Resource>,
  { timeoutMs = 10_000, program = new URL('./list-worker.js', import.meta.url) }: ListThreadOptions = {},
): ListThread<Resource> {
  let thread: Worker | undefined;
  /** Those that have not answered in time, and not ended since. */
  const hanging = new Set<Worker>();
  let previous: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  async function read(query: RecordQuery, limits: ListLimits): Promise<ListedRecords<Resource>> {
    if (isClosed) throw new Error('The database is closed');
    if (hanging.size >= maxHanging) throw databaseUnavailable(new Error('The threads of lists hang'));
    thread ??= startThread();
    const running = thread;
    running.ref();
    try {
      running.postMessage({ query, limits });
      // Rejects with what the thread ended with, if it did.
      const [answer]: Answer[] = await withTimeout(once(running, 'message'), timeoutMs, () =>
        giveUp(running),
      );
      if (answer === undefined) throw new Error('The thread of lists gave no answer');
      if ('listed' in answer) return toRecords(answer.listed, table);
      throw Object.assign(new Error(answer.error.message), { code: answer.error.code });
    } finally {
      running.unref();
    }
  }

  function startThread(): Worker {
    const { toRecord: _, toTexts: __, bytesOf: ___, ...parts } = table;
    const worker = new Worker(program, { workerData: { files, table: parts } });
    // The next list starts another one.
    const forget = () => {
      if (thread === worker) thread = undefined;
      hanging.delete(worker);
    };
    worker.on('error', forget).on('exit', forget);
    return worker;
  }

  /** Leaves a thread alone, which may answer, and then ends, once the disk does. */
  function giveUp(worker: Worker): never {
    thread = undefined;
    hanging.add(worker);
    worker.postMessage(null);
    throw databaseUnavailable(new Error('A list was not read in time'));
  }

  return {
    list(query, limits) {
      const listed = previous.then(() => read(query, limits));
      previous = listed.catch(() => undefined);
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

function toRecords<Resource>(
  { columns, ...listed }: ListedColumns,
  { toRecord }: Table<Resource>,
): ListedRecords<Resource> {
  const [ids = []] = columns;
  return { ...listed, plants: ids.map((_, index) => toRecord(columns.map((values) => values[index]))) };
}
