import { setImmediate } from 'node:timers/promises';
import {
  beforeNumbers,
  type Change,
  type ChangeOutcome,
  type CreateOutcome,
  isFiltered,
  isTombstone,
  keptSince,
  type Listed,
  type ListLimits,
  type ListQuery,
  pageOfStates,
  type Stored,
  type StoredRecord,
  withoutTombstones,
} from '@plant-store/records';
import type Sqlite from 'better-sqlite3';
import {
  generationSql,
  type RecordStore,
  requireCurrent,
  statesPerCleanup,
  type Write,
  type WriteOutcome,
} from '../store.js';
import { changedAtOf, isLong, readPages, seqColumn, type Table } from '../table.js';
import type { Checkpointer } from './checkpointer.js';
import { mapFile } from './connections.js';
import type { ListReader } from './list-thread.js';
import type { Transact } from './transact.js';

/** The dependencies of the SQLite stores. */
export interface SqliteStoresOptions {
  readonly connection: Sqlite.Database;
  readonly tables: readonly Table[];
  /** How many days to keep replaced states. Default: forever. */
  readonly historyDays?: number | undefined;
  readonly transact: Transact;
  /** Syncs the write-ahead log to disk. Throws `database_unavailable` if that fails. */
  readonly syncLog: () => void;
  /** Returns the list reader of a table. The rows that it lists may not be durable yet. */
  readonly readerOf: (table: Table) => ListReader;
  readonly checkpointer: Pick<Checkpointer, 'start' | 'truncateLog'>;
  /** After how many writes the file is mapped again. */
  readonly writesPerMap?: number;
}

/** How many rows one statement inserts. This takes half as long as one statement per row. */
const rowsPerInsert = 16;

/** How many rows one transaction numbers, if another program inserted them. This takes about 5 ms. */
const rowsPerNumbering = 1_000;

/** The time limit for reading one page of all records, in milliseconds. It is high, so that each page is full. */
const readDurationMs = 60_000;

/** The maximum number of records on a page that this thread reads itself: more than the web page and most clients request. */
const shortPage = 200;
/** The maximum size of a value on such a page, in bytes, so that the page has at most a few hundred kilobytes. */
const shortValue = 1_000;

/** Whether a value from SQLite is a blob. `instanceof` would take five times as long. */
const isBlob = (value: unknown) => typeof value === 'object' && value !== null;

/** A value that is less than every ID in SQLite's comparison. */
const belowAll = Number.NEGATIVE_INFINITY;

/** Thrown to roll back an insert of several rows because an ID is taken. */
const idTaken = new Error('An id is taken');

/** Creates the SQLite stores by resource name, and a function that writes to several of them in one transaction. */
export function createSqliteStores({
  connection,
  tables,
  historyDays = Number.POSITIVE_INFINITY,
  transact,
  syncLog,
  readerOf,
  checkpointer,
  writesPerMap = 100_000,
}: SqliteStoresOptions) {
  /** Returns a number that changes when another connection commits. */
  const selectDataVersion = connection.prepare<[], bigint>('PRAGMA data_version').safeIntegers().pluck();
  const lastNumbers = tables.map(
    ({ name }) => `SELECT * FROM (SELECT CAST(${seqColumn} AS REAL) AS number ${lastOf(name)})`,
  );
  const selectLastNumber = connection
    .prepare<[], number | null>(`SELECT max(number) FROM (${lastNumbers.join(' UNION ALL ')})`)
    .pluck();
  let syncedVersion: bigint | undefined;
  let writesSinceMap = 0;

  /**
   * Ensures that the data that was read is on disk. Commits of this connection already are. The log is synced again only if another
   * connection may have committed since the last sync.
   *
   * @param version the data version of the connection at the time of the read
   */
  function confirmDurable(version = selectDataVersion.get()): void {
    if (version === syncedVersion) return;
    syncLog();
    syncedVersion = version;
  }

  const statements = new Map(
    tables.map((table) => [table.resource, prepareTable(connection, table, historyDays)]),
  );
  function statementsOf(resource: string) {
    const found = statements.get(resource);
    if (found === undefined) throw new Error(`There is no table of the resource ${resource}`);
    return found;
  }

  /** Stores creates, then changes. Returns the outcomes, and if existing rows were read for them, the data version. */
  const writeTransaction = connection.transaction((writes: readonly Write[]) => {
    const outcomes: WriteOutcome[] = new Array(writes.length);
    // No other connection can add a number during a write transaction.
    const progress = { now: Date.now(), last: selectLastNumber.get() ?? 0, hasRead: false };
    for (const [resource, { createAll }] of statements) createAll(writes, resource, outcomes, progress);
    for (const [at, { resource, change }] of writes.entries())
      if (change !== undefined) outcomes[at] = statementsOf(resource).changeOne(change, progress);
    return { outcomes, version: progress.hasRead ? selectDataVersion.get() : undefined };
  });

  function mapAgain(): void {
    writesSinceMap = 0;
    try {
      mapFile(connection, tables);
    } catch {
      // Without a map, the file is read by system calls.
    }
  }

  async function write(writes: readonly Write[]): Promise<readonly WriteOutcome[]> {
    if (writes.length === 0) return [];
    // Started here, because only writes need it, and the start of the service is faster without it.
    checkpointer.start();
    writesSinceMap += writes.length;
    if (writesSinceMap >= writesPerMap) mapAgain();
    try {
      return await transact(() => {
        const { outcomes, version } = writeTransaction.immediate(writes);
        if (version !== undefined) confirmDurable(version);
        return outcomes;
      });
    } finally {
      if (writes.some(({ change }) => change !== undefined)) checkpointer.truncateLog();
    }
  }

  function createStore(table: Table): RecordStore {
    const { resource, toHistory } = table;
    const { findOne, listShort, selectHistory, selectLastPosition, selectLastOfTable, ...states } =
      statementsOf(resource);
    const reader = readerOf(table);
    const numberBatch = connection.transaction(() => states.numberRows(selectLastNumber.get() ?? 0));
    /** Gives change numbers to rows that another program inserted, because the reader uses them, and returns the reader. */
    async function numberedReader(): Promise<ListReader> {
      while (states.selectUnnumbered.get() !== undefined) {
        numberBatch.immediate();
        await setImmediate();
      }
      return reader;
    }
    const findAll = (ids: readonly bigint[]) => ids.map(findOne).filter((record) => record !== undefined);
    const findTransaction = connection.transaction(findAll);
    /**
     * Runs a read, and ensures that its rows are on disk. The data version is read after the rows, so a later commit may be synced, too.
     */
    const readDurably = <Result>(read: () => Result | Promise<Result>) =>
      transact(async () => {
        const result = await read();
        confirmDurable();
        return result;
      });
    return {
      create: async (records) =>
        (await write(records.map((record) => ({ resource, record })))) as readonly CreateOutcome<object>[],
      change: async (changes) =>
        (await write(changes.map((change) => ({ resource, change })))) as readonly ChangeOutcome<object>[],
      // A single statement needs no explicit transaction, and is faster without one.
      find: (ids) => readDurably(() => (ids.length === 1 ? findAll(ids) : findTransaction(ids))),
      findHistory: (ids) =>
        readDurably(() =>
          ids
            .map((id) => selectHistory.get(id))
            .filter((row) => row !== undefined)
            .map(toHistory),
        ),
      list: (query, limits) =>
        readDurably(async () => {
          const listed = listShort(query, limits) ?? (await (await numberedReader()).list(query, limits));
          return { ...listed, records: withoutTombstones(listed.records) };
        }),
      countAll: (filter) => readDurably(async () => (await numberedReader()).countAll(filter)),
      countValues: (...counted) => readDurably(async () => (await numberedReader()).countValues(...counted)),
      listChanges: (after, limits) =>
        readDurably(async () => {
          const numbered = await numberedReader();
          const lastNumber = selectLastOfTable.get() ?? 0;
          const listed = await numbered.listChanges(after, limits);
          requireCurrent(after, listed.last.generation, lastNumber);
          return listed;
        }),
      lastChange: () =>
        readDurably(() => {
          const [generation = '', number, id] = selectLastPosition.get() ?? [];
          return { generation, ...(number == null || id === undefined ? beforeNumbers : { number, id }) };
        }),
      listStates: (...listed) => readDurably(() => states.listStates(...listed)),
      async removeOldStates() {
        const count = await transact(states.removeOldStates);
        if (count > 0) checkpointer.truncateLog();
        return count > 0;
      },
      read: (after, limits) =>
        readPages(async (last) => {
          const query = {
            order: 'id',
            after: last === undefined ? undefined : { id: last },
            tombstones: true,
          } as const;
          const { records } = await transact(() =>
            reader.list(query, { bytes: limits.bytes, matches: limits.records, durationMs: readDurationMs }),
          );
          return records;
        }, after),
    };
  }

  return {
    write,
    stores: Object.fromEntries(tables.map((table) => [table.resource, createStore(table)])),
  };
}

/** Returns SQL for the last change of a table, which its index finds. */
const lastOf = (name: string) =>
  `FROM ${name} WHERE ${seqColumn} IS NOT NULL ORDER BY ${seqColumn} DESC LIMIT 1`;

/** The progress of a write transaction: its time, the number of the last change, and whether existing rows were read. */
interface Progress {
  readonly now: number;
  last: number;
  hasRead: boolean;
}

/** A record to create, and the index of its write. */
interface Create {
  readonly record: Stored<object>;
  readonly index: number;
}

/** Prepares the statements of a table, and creates the functions that use them. The caller begins the transaction of a write. */
function prepareTable(connection: Sqlite.Database, table: Table, historyDays: number) {
  const { name, columns, historyColumns, fieldColumns, erased, toRecord, toColumns } = table;
  const { states, stateColumns, origin, toState, isSame, bytesOf } = table;
  const fields = fieldColumns.join(', ');
  const placeholders = ', ?'.repeat(fieldColumns.length);
  const insertOf = (rows: number) =>
    connection.prepare(
      `INSERT INTO ${name} (id, added_at, ${seqColumn}, added_by, ${fields})
        VALUES ${Array(rows).fill(`(?, ?, ?, ?${placeholders})`).join(', ')} ON CONFLICT (id) DO NOTHING`,
    );
  const insert = insertOf(1);
  const insertMany = insertOf(rowsPerInsert);
  /** Prepares a statement that returns rows as arrays, with exact integers. */
  const prepareRows = <Parameters extends unknown[], Row extends unknown[] = unknown[]>(sql: string) =>
    connection.prepare<Parameters, Row>(sql).safeIntegers().raw();
  const selectOf = (selected: readonly string[]) =>
    prepareRows<[bigint]>(`SELECT ${selected.join(', ')} FROM ${name} WHERE id = ?`);
  const select = selectOf(columns);
  const long = new Set(table.fields.filter(isLong).map(({ column }) => column));
  // SQLite gets the length of a value without reading it. A blob marks a value that is too long, because no field is a blob.
  const shortColumns = columns.map((column) =>
    long.has(column) ? `iif(octet_length(${column}) > ${shortValue}, x'', ${column})` : column,
  );
  const selectPage = prepareRows<[bigint | number, number]>(
    `SELECT ${shortColumns.join(', ')} FROM ${name} WHERE id > ? ORDER BY id LIMIT ?`,
  );
  // A change deletes and inserts the row, which clears columns that another version of the service has added.
  const deleteRow = prepareRows<[bigint], [bigint | null, string | null]>(
    `DELETE FROM ${name} WHERE id = ? RETURNING added_at, added_by`,
  );
  const insertChanged = connection.prepare(
    `INSERT INTO ${name} (id, added_by, changed_by, changed_at, ${seqColumn}, added_at, original, deleted, ${fields})
      VALUES (?, ?, ?, ?, ?, ?, ?, ?${placeholders}) ON CONFLICT (id) DO NOTHING`,
  );

  // Each state points to the change number of the previous one, so a record's states are found without an index. With random IDs, an index
  // would make an update a third slower.
  const statesOf = `WITH RECURSIVE found (place$) AS (
      SELECT ${seqColumn} FROM ${name} WHERE id = ?
      UNION ALL SELECT ${seqColumn} FROM found CROSS JOIN ${states} ON history_place = place$
    )`;
  // A row that another program inserted may have no number yet.
  const insertState = connection.prepare<[number, number, bigint]>(
    `INSERT INTO ${states} (history_place, replaced_at, id, ${seqColumn}, changed_at, changed_by, ${fields})
      SELECT ?, ?, id, coalesce(${seqColumn}, 0), ${origin}, ${fields} FROM ${name} WHERE id = ?`,
  );
  const moveState = connection.prepare<[number, bigint]>(
    `UPDATE ${states} SET history_place = ? WHERE history_place = (SELECT ${seqColumn} FROM ${name} WHERE id = ?)`,
  );
  const eraseStates = connection.prepare<[bigint]>(
    `${statesOf} DELETE FROM ${states} WHERE history_place IN (SELECT place$ FROM found)`,
  );
  const deleteOldStates = connection.prepare<[number]>(
    `DELETE FROM ${states} WHERE history_place IN (SELECT history_place FROM ${states} ORDER BY history_place LIMIT ${statesPerCleanup}) AND replaced_at < ?`,
  );
  const selectCurrent = prepareRows<[bigint]>(
    `SELECT NULL, ${origin[0]}, NULL, ${origin[1]}, ${fields} FROM ${name} WHERE id = ? AND NOT deleted`,
  );
  const selectStates = prepareRows<[bigint, number, number]>(
    `${statesOf} SELECT ${seqColumn}, ${stateColumns} FROM found CROSS JOIN ${states} ON history_place = place$
      WHERE ${seqColumn} <= ? AND replaced_at >= ?`,
  );

  const listStates = connection.transaction((id: bigint, start: number | undefined, limits: ListLimits) => {
    const current = selectCurrent.get(id);
    if (current === undefined) return undefined;
    function* read(row: readonly unknown[]) {
      if (start === undefined) yield toState(row);
      const since = keptSince(Date.now(), historyDays);
      for (const one of selectStates.iterate(id, start ?? Number.MAX_SAFE_INTEGER, since)) yield toState(one);
    }
    return pageOfStates(read(current), bytesOf, limits);
  });

  function findOne(id: bigint): StoredRecord<object> | undefined {
    const row = select.get(id);
    return row && toRecord(row);
  }

  /**
   * Reads a short page in ID order on this thread, which is faster than exchanging two messages with the list thread. Returns `undefined`
   * if the list has a filter, many records, a long text, or a tombstone.
   */
  function listShort(query: ListQuery, { matches, bytes }: ListLimits): Listed<object> | undefined {
    if (matches > shortPage || query.order !== 'id' || isFiltered(query)) return undefined;
    if (bytes < matches * table.fields.length * shortValue) return undefined;
    const rows = selectPage.all(query.after?.id ?? belowAll, matches + 1);
    if (rows.some((row) => row.some(isBlob))) return undefined;
    const records = rows.map(toRecord);
    if (records.some(isTombstone)) return undefined;
    const live = withoutTombstones(records.slice(0, matches));
    const end = records.length > matches ? live.at(-1) : undefined;
    return { records: live, last: end && { id: end.id, addedAt: end.addedAt ?? undefined } };
  }

  /** Inserts the records of one statement, or none if an id is taken. */
  const insertTogether = connection.transaction((creates: readonly Create[], { now, last }: Progress) => {
    const values: unknown[] = [];
    let number = last;
    for (const { record } of creates) {
      const { id, addedAt = now, addedBy = null } = record;
      values.push(id, addedAt, ++number, addedBy, ...toColumns(record));
    }
    if (insertMany.run(values).changes !== creates.length) throw idTaken;
  });

  function tryInsertTogether(creates: readonly Create[], progress: Progress): boolean {
    try {
      insertTogether(creates, progress);
      progress.last += creates.length;
      return true;
    } catch (error) {
      if (error === idTaken) return false;
      throw error;
    }
  }

  function insertOne(record: Stored<object>, progress: Progress): CreateOutcome<object> {
    const { id, addedAt = progress.now, addedBy = null } = record;
    if (insert.run(id, addedAt, progress.last + 1, addedBy, ...toColumns(record)).changes === 1) {
      progress.last++;
      return { stored: true, addedAt };
    }
    const existing = findOne(id);
    // A trigger may skip a row silently.
    if (existing === undefined) throw new Error(`The record ${id} was not stored, and no row has its id`);
    progress.hasRead = true;
    return { stored: false, existing };
  }

  /** Stores the creates of the resource. */
  function createAll(
    writes: readonly Write[],
    resource: string,
    outcomes: WriteOutcome[],
    progress: Progress,
  ): void {
    const creates: Create[] = [];
    for (const [index, { record, resource: of }] of writes.entries())
      if (record !== undefined && of === resource) creates.push({ record, index });
    for (let start = 0; start < creates.length; start += rowsPerInsert) {
      const some = creates.slice(start, start + rowsPerInsert);
      const areStored = some.length === rowsPerInsert && tryInsertTogether(some, progress);
      for (const { record, index } of some) {
        const { addedAt = progress.now } = record;
        outcomes[index] = areStored ? { stored: true, addedAt } : insertOne(record, progress);
      }
    }
  }

  function changeOne({ id, replace, by }: Change<object>, progress: Progress): ChangeOutcome<object> {
    const { now } = progress;
    const before = findOne(id);
    progress.hasRead = true;
    const after = replace(before);
    if (after === undefined) return { before, after };
    const number = ++progress.last;
    if (before !== undefined) {
      // Saves the state that is replaced, or erases all states of a record that is deleted.
      if (isTombstone(before) || isTombstone(after) || historyDays === 0) eraseStates.run(id);
      else if (isSame(before, after)) moveState.run(number, id);
      else insertState.run(number, now, id);
    }
    const [addedBefore, addedBy] = deleteRow.get(id) ?? [null, null];
    const reusesId = before !== undefined && isTombstone(before);
    const values = [
      ...(reusesId ? [by ?? null, null] : [addedBy, by ?? null]),
      changedAtOf(after, now),
      number,
      ...(isTombstone(after)
        ? [addedBefore, null, 1, ...erased]
        : [after.addedAt ?? null, after.original ?? null, 0, ...toColumns(after)]),
    ];
    // A trigger can skip a row silently.
    if (insertChanged.run(id, ...values).changes !== 1) throw new Error(`The record ${id} was not changed`);
    return { before, after };
  }

  return {
    findOne,
    listShort,
    listStates,
    removeOldStates: () => deleteOldStates.run(keptSince(Date.now(), historyDays)).changes,
    createAll,
    changeOne,
    selectHistory: selectOf([...columns, ...historyColumns]),
    /** Selects the number of the last change in this table. */
    selectLastOfTable: connection
      .prepare<[], number>(`SELECT CAST(${seqColumn} AS REAL) ${lastOf(name)}`)
      .pluck(),
    selectUnnumbered: connection.prepare(`SELECT 1 FROM ${name} WHERE ${seqColumn} IS NULL LIMIT 1`),
    /** Gives numbers after `last` to some rows that have none, in the order of their IDs. */
    numberRows: (last: number) =>
      connection
        .prepare(
          `UPDATE ${name} SET ${seqColumn} = number
            FROM (SELECT id AS numbered, ? + row_number() OVER (ORDER BY id) AS number FROM ${name} WHERE ${seqColumn} IS NULL LIMIT ${rowsPerNumbering})
            WHERE id = numbered`,
        )
        .run(last),
    selectLastPosition: prepareRows<[], [string, number | null, bigint]>(
      `SELECT ${generationSql}, number, id
        FROM (SELECT 1) LEFT JOIN (SELECT CAST(${seqColumn} AS REAL) AS number, id ${lastOf(name)})`,
    ),
  };
}
