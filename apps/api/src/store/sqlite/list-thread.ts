import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { INT64_MIN } from '@plant-store/contract';
import type {
  ChangePosition,
  Listed,
  ListLimits,
  ListPosition,
  ListQuery,
  StoredRecord,
} from '@plant-store/records';
import { withTimeout } from '../../runtime/timing.js';
import { databaseUnavailable } from '../database.js';
import { generationSql, type RecordStore } from '../store.js';
import { seqColumn, type Table } from '../table.js';
import type { DatabaseFiles } from './file-identity.js';

/** Lists plants as `Store.list` does, and tombstones besides if the query says so. */
export type ListRecords<Resource> = (
  query: RecordQuery,
  limits: ListLimits,
) => Promise<ListedRecords<Resource>>;

/** Which plants, and whether all tombstones besides. */
export type RecordQuery = Omit<ListQuery, 'order' | 'after'> & {
  /** By the numbers of changes, too. */
  readonly order: ListQuery['order'] | 'changes';
  readonly after?: (ListPosition & Partial<ChangePosition>) | undefined;
  readonly tombstones?: boolean;
  /** Whether only those that have no number of a change. */
  readonly unnumbered?: boolean;
  /** Whether all is read in one transaction, with the generation of the store. */
  readonly withGeneration?: boolean;
  /** The column whose values are counted, instead of listing those that match. */
  readonly counted?: string;
};

/** Lists changes as `Store.listChanges` does. */
export type ListChanges<Resource> = RecordStore<Resource>['listChanges'];

/** As `Listed`. */
type ListedRecords<Resource> = Omit<Listed<Resource>, 'records'> & {
  readonly records: readonly StoredRecord<Resource>[];
};

/** Reads lists in a thread of its own, so that creates do not wait for them. */
export interface ListThread<Resource> {
  readonly list: ListRecords<Resource>;
  readonly listChanges: ListChanges<Resource>;
  readonly countValues: RecordStore<Resource>['countValues'];
  /** Resolves once no list is being read, and the file is released. */
  close(): Promise<void>;
}

/** The plants of a list. */
export interface ListedColumns {
  /**
   * The values of each column of the table, which the other thread reads in half the time that rows take; or those that were counted,
   * and how often each was there.
   */
  readonly columns: readonly (readonly unknown[])[];
  readonly last: (ListPosition & Pick<ChangePosition, 'number'>) | undefined;
  readonly readMs: number;
  /** That of the store while they were read, of a query that has it. */
  readonly generation?: string;
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

  async function read(query: RecordQuery, limits: ListLimits): Promise<ListedColumns> {
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
      if ('listed' in answer) return answer.listed;
      throw Object.assign(new Error(answer.error.message), { code: answer.error.code });
    } finally {
      running.unref();
    }
  }

  function startThread(): Worker {
    // A thread gets no functions.
    const parts = Object.fromEntries(Object.entries(table).filter(([, part]) => typeof part !== 'function'));
    const worker = new Worker(program, { workerData: { files, table: parts, seqColumn, generationSql } });
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

  function readInTurn(query: RecordQuery, limits: ListLimits): Promise<ListedColumns> {
    const listed = previous.then(() => read(query, limits));
    previous = listed.catch(() => undefined);
    return listed;
  }

  return {
    async list(query, limits) {
      const { columns, last, readMs } = await readInTurn(query, limits);
      return { records: rowsOf(columns).map(table.toRecord), last, readMs };
    },
    async listChanges(after, limits) {
      const isNumbered = after?.number !== undefined;
      const {
        columns,
        last,
        readMs,
        generation = '',
      } = await readInTurn(
        {
          ...{ order: isNumbered ? 'changes' : 'id', after, tombstones: true, unnumbered: !isNumbered },
          withGeneration: true,
        },
        limits,
      );
      const changes = rowsOf(columns).map(table.toChange);
      if (isNumbered) {
        const position = last ?? changes.at(-1)?.position ?? after;
        return { changes, last: { ...position, generation }, hasMore: last !== undefined, readMs };
      }
      // After those without a number come the others.
      const position = last ? { id: last.id } : { number: 0, id: INT64_MIN };
      return { changes, last: { ...position, generation }, hasMore: true, readMs };
    },
    async countValues(counted, after, limits) {
      const { columns, last, readMs } = await readInTurn(
        { order: 'id', after: after === undefined ? undefined : { id: after }, counted },
        { ...limits, matches: Number.POSITIVE_INFINITY },
      );
      const [values = [], counts = []] = columns as [string[], number[]];
      return { counts: values.map((value, index) => [value, counts[index] ?? 0]), last: last?.id, readMs };
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

function rowsOf(columns: ListedColumns['columns']): readonly (readonly unknown[])[] {
  const [ids = []] = columns;
  return ids.map((_, index) => columns.map((values) => values[index]));
}
