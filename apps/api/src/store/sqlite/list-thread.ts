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
import { columnOf, seqColumn, type Table } from '../table.js';
import type { DatabaseFiles } from './file-identity.js';

/** Which records, and whether all tombstones besides. */
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

/** Reads lists of a table in another thread, so that creates do not wait for them. */
export interface ListReader<Fields = object> {
  /** Lists records as `RecordStore.list` does, and tombstones besides if the query says so. */
  list(query: RecordQuery, limits: ListLimits): Promise<ListedRecords<Fields>>;
  readonly listChanges: RecordStore<Fields>['listChanges'];
  readonly countValues: RecordStore<Fields>['countValues'];
}

/** As `Listed`. */
type ListedRecords<Fields> = Omit<Listed<Fields>, 'records'> & {
  readonly records: readonly StoredRecord<Fields>[];
};

/** The thread that reads the lists of all tables, one after the other. */
export interface ListThread {
  reader<Fields>(table: Table<Fields>): ListReader<Fields>;
  /** Resolves once no list is being read, and the file is released. */
  close(): Promise<void>;
}

/** What a thread has of a table: it gets no functions. */
export type TableParts = Pick<Table, 'name' | 'fields' | 'columns' | 'changeColumns' | 'searches' | 'bytes'>;

/** The records of a list. */
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
export function createListThread(
  files: DatabaseFiles,
  tables: readonly Table[],
  { timeoutMs = 10_000, program = new URL('./list-worker.js', import.meta.url) }: ListThreadOptions = {},
): ListThread {
  let thread: Worker | undefined;
  /** Those that have not answered in time, and not ended since. */
  const hanging = new Set<Worker>();
  let previous: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  async function read(table: string, query: RecordQuery, limits: ListLimits): Promise<ListedColumns> {
    if (isClosed) throw new Error('The database is closed');
    if (hanging.size >= maxHanging) throw databaseUnavailable(new Error('The threads of lists hang'));
    thread ??= startThread();
    const running = thread;
    running.ref();
    try {
      running.postMessage({ table, query, limits });
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
    const parts = tables.map(
      ({ name, fields, columns, changeColumns, searches, bytes }): TableParts => ({
        name,
        fields,
        columns,
        changeColumns,
        searches,
        bytes,
      }),
    );
    const worker = new Worker(program, { workerData: { files, tables: parts, seqColumn, generationSql } });
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

  function readInTurn(table: string, query: RecordQuery, limits: ListLimits): Promise<ListedColumns> {
    const listed = previous.then(() => read(table, query, limits));
    previous = listed.catch(() => undefined);
    return listed;
  }

  function createReader<Fields>(table: Table<Fields>): ListReader<Fields> {
    const { name, toRecord, toChange } = table;
    return {
      async list(query, limits) {
        const { columns, last, readMs } = await readInTurn(name, query, limits);
        return { records: rowsOf(columns).map(toRecord), last, readMs };
      },
      async listChanges(after, limits) {
        const isNumbered = after?.number !== undefined;
        const {
          columns,
          last,
          readMs,
          generation = '',
        } = await readInTurn(
          name,
          {
            order: isNumbered ? 'changes' : 'id',
            after,
            tombstones: true,
            unnumbered: !isNumbered,
            withGeneration: true,
          },
          limits,
        );
        const changes = rowsOf(columns).map(toChange);
        if (isNumbered) {
          const position = last ?? changes.at(-1)?.position ?? after;
          return { changes, last: { ...position, generation }, hasMore: last !== undefined, readMs };
        }
        // After those without a number come the others.
        const position = last ? { id: last.id } : { number: 0, id: INT64_MIN };
        return { changes, last: { ...position, generation }, hasMore: true, readMs };
      },
      async countValues(field, after, limits) {
        const counted = columnOf(table, field);
        const { columns, last, readMs } = await readInTurn(
          name,
          { order: 'id', after: after === undefined ? undefined : { id: after }, counted },
          { ...limits, matches: Number.POSITIVE_INFINITY },
        );
        const [values = [], counts = []] = columns as [string[], number[]];
        return { counts: values.map((value, index) => [value, counts[index] ?? 0]), last: last?.id, readMs };
      },
    };
  }

  return {
    reader: createReader,
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
