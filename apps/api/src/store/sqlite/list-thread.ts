import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import {
  beforeNumbers,
  type ChangePosition,
  type CountedValues,
  type Listed,
  type ListFilter,
  type ListLimits,
  type ListPosition,
  type ListQuery,
  type StoredRecord,
  type Total,
} from '@plant-store/records';
import { withTimeout } from '../../runtime/timing.js';
import { databaseUnavailable } from '../database.js';
import { generationSql, type RecordStore } from '../store.js';
import { seqColumn, type Table } from '../table.js';
import type { DatabaseFiles } from './file-identity.js';

/** Which records to list, and whether to include all tombstones. */
export type RecordQuery = Omit<ListQuery, 'order' | 'after'> & {
  /** Also supports the order of change numbers. */
  readonly order: ListQuery['order'] | 'changes';
  readonly after?: (ListPosition & Partial<ChangePosition>) | undefined;
  readonly tombstones?: boolean;
  /** Whether to read the records and the generation of the store in one transaction. */
  readonly withGeneration?: boolean;
};

/** A request to the thread about a table: a list, a count of matches, or counts by value of a field. */
export type ReadRequest = { readonly table: string } & (
  | { readonly query: RecordQuery; readonly limits: ListLimits }
  | { readonly filter: ListFilter }
  | {
      readonly counted: {
        readonly field: string;
        readonly after: string | undefined;
        readonly maxValues: number;
      };
    }
);

/** Reads lists of a table in another thread, so that creates do not wait for them. */
export interface ListReader<Fields = object> {
  /** Lists records as `RecordStore.list` does, and also tombstones if the query includes them. */
  list(query: RecordQuery, limits: ListLimits): Promise<ListedRecords<Fields>>;
  readonly listChanges: RecordStore<Fields>['listChanges'];
  readonly countAll: RecordStore<Fields>['countAll'];
  readonly countValues: RecordStore<Fields>['countValues'];
}

type ListedRecords<Fields> = Omit<Listed<Fields>, 'records'> & {
  readonly records: readonly StoredRecord<Fields>[];
};

/** The parts of a table that are passed to the thread. Functions cannot be passed. */
export type TableParts = Pick<Table, 'name' | 'fields' | 'columns' | 'changeColumns' | 'searches' | 'bytes'>;

interface ListedColumns extends Pick<Listed<object>, 'isLate'> {
  /** The values of each column of the table. Passing columns to the other thread takes half the time that rows would take. */
  readonly columns: readonly (readonly unknown[])[];
  readonly last: (ListPosition & Pick<ChangePosition, 'number'>) | undefined;
  readonly readMs: number;
  /** The generation of the store at the time of the read, if requested. */
  readonly generation?: string;
}

/** The reply of the thread: the result, or an error from SQLite. */
type Reply =
  | { readonly read: ListedColumns | Total | CountedValues }
  | { readonly error: { message: string; code?: string } };

interface ListThreadOptions {
  /** How long to wait for a reply of the thread, in milliseconds: much longer than any list takes, unless the disk hangs. */
  readonly timeoutMs?: number;
  readonly program?: URL;
}

/**
 * Creates list readers, which share one thread. The thread starts with the first list, and reads one list after the other. If it hangs, it
 * is ended, and a new thread reads the next list.
 */
export function createListThread(
  files: DatabaseFiles,
  tables: readonly Table[],
  { timeoutMs = 10_000, program = new URL('./list-worker.js', import.meta.url) }: ListThreadOptions = {},
) {
  let thread: Worker | undefined;
  let previous: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  async function read(request: ReadRequest): Promise<unknown> {
    if (isClosed) throw new Error('The database is closed');
    thread ??= startThread();
    const running = thread;
    running.ref();
    try {
      running.postMessage(request);
      // Rejects with the thread's error if the thread ends.
      const [reply]: Reply[] = await withTimeout(once(running, 'message'), timeoutMs, () => giveUp(running));
      if (reply === undefined) throw new Error('The list thread did not reply');
      if ('read' in reply) return reply.read;
      throw Object.assign(new Error(reply.error.message), { code: reply.error.code });
    } finally {
      running.unref();
    }
  }

  function startThread(): Worker {
    const parts: readonly TableParts[] = JSON.parse(JSON.stringify(tables));
    const worker = new Worker(program, { workerData: { files, tables: parts, seqColumn, generationSql } });
    // The next list starts a new thread.
    const forget = () => {
      if (thread === worker) thread = undefined;
    };
    worker.on('error', forget).on('exit', forget);
    return worker;
  }

  /** Rejects the read, and ends the thread, which takes until its disk responds again. */
  function giveUp(worker: Worker): never {
    thread = undefined;
    void worker.terminate();
    throw databaseUnavailable(new Error('A list was not read in time'));
  }

  function readInOrder(request: ReadRequest): Promise<unknown> {
    const result = previous.then(() => read(request));
    previous = result.catch(() => undefined);
    return result;
  }

  function createReader<Fields>(table: Table<Fields>): ListReader<Fields> {
    const { name, toRecord, toChange } = table;
    const readList = (query: RecordQuery, limits: ListLimits) =>
      readInOrder({ table: name, query, limits }) as Promise<ListedColumns>;
    return {
      async list(query, limits) {
        const { columns, generation, ...listed } = await readList(query, limits);
        return { ...listed, records: rowsOf(columns).map(toRecord) };
      },
      countAll: (filter) => readInOrder({ table: name, filter }) as Promise<Total>,
      countValues: (field, after, maxValues) =>
        readInOrder({ table: name, counted: { field, after, maxValues } }) as Promise<CountedValues>,
      async listChanges(after, limits) {
        // A position without a number is from version 1.4. All records have a number now, so such a follower starts over.
        const start = after?.number === undefined ? undefined : after;
        const query = { order: 'changes', after: start, tombstones: true, withGeneration: true } as const;
        const { columns, last, readMs, generation = '' } = await readList(query, limits);
        const changes = rowsOf(columns).map(toChange);
        const position = last ?? changes.at(-1)?.position ?? start ?? beforeNumbers;
        return { changes, last: { ...position, generation }, hasMore: last !== undefined, readMs };
      },
    };
  }

  return {
    reader: createReader,
    /** Resolves once no list is being read, and the file is released. */
    async close(): Promise<void> {
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
