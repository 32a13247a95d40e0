import {
  beforeNumbers,
  type Change,
  type ChangeOutcome,
  isFiltered,
  isTombstone,
  type Listed,
  type ListLimits,
  type ListQuery,
  type Stored,
  type StoredRecord,
  withoutTombstones,
} from '@plant-store/records';
import type Sqlite from 'better-sqlite3';
import { changedAtOf, generationSql, type RecordStore, requireCurrent } from '../store.js';
import { readPages, seqColumn, type Table } from '../table.js';
import type { ListChanges, ListRecords } from './list-thread.js';
import type { Transact } from './transact.js';

/** What a store of SQLite works with. */
export interface SqliteStoreOptions<Resource> {
  readonly connection: Sqlite.Database;
  readonly table: Table<Resource>;
  readonly transact: Transact;
  /** Syncs the write-ahead log to disk; throws `database_unavailable` when it cannot be synced. */
  readonly syncLog: () => void;
  /** Lists what is visible, which may not be durable. */
  readonly listRecords: ListRecords<Resource>;
  readonly listChanges: ListChanges<Resource>;
  readonly countValues: RecordStore<Resource>['countValues'];
  /** Called before records are stored or changed, with how many. */
  readonly onWrite: (records: number) => void;
  /** Called once texts may have been erased. */
  readonly onErased: () => void;
}

/** How many rows one statement inserts, which takes half as long as a statement for each. */
const rowsTogether = 16;

/** The most plants of a page that is read here: more than the page of plants and most clients ask for. */
const shortPage = 200;

/** Below each id, as a number that SQLite compares with integers. */
const belowAll = Number.NEGATIVE_INFINITY;

/** Ends an insert of several rows, which is then undone, when the id of one is taken. */
const someTaken = new Error('An id is taken');

/** Creates the store of a table of SQLite, with statements that are prepared once. */
export function createSqliteStore<Resource>({
  connection,
  table,
  transact,
  syncLog,
  listRecords,
  listChanges,
  countValues,
  onWrite,
  onErased,
}: SqliteStoreOptions<Resource>): RecordStore<Resource> {
  const { name, columns, historyColumns, texts, erasedTexts, toRecord, toHistory, toTexts } = table;
  const insertOf = (rows: number) =>
    connection.prepare(
      `INSERT INTO ${name} (id, added_at, ${seqColumn}, added_by, ${texts.join(', ')})
        VALUES ${Array(rows)
          .fill(`(?, ?, ?, ?${', ?'.repeat(texts.length)})`)
          .join(', ')} ON CONFLICT (id) DO NOTHING`,
    );
  const insert = insertOf(1);
  const insertMany = insertOf(rowsTogether);
  const selectOf = (selected: readonly string[]) =>
    connection
      .prepare<[bigint], unknown[]>(`SELECT ${selected.join(', ')} FROM ${name} WHERE id = ?`)
      .safeIntegers()
      .raw();
  const select = selectOf(columns);
  const page = `FROM ${name} WHERE id > ? ORDER BY id LIMIT ?`;
  const measurePage = connection
    .prepare<[bigint | number, number], number>(
      `SELECT ifnull(sum(bytes), 0) FROM (SELECT ${table.bytes} AS bytes ${page})`,
    )
    .pluck();
  const selectPage = connection
    .prepare<[bigint | number, number], unknown[]>(`SELECT ${columns.join(', ')} ${page}`)
    .safeIntegers()
    .raw();
  const selectHistory = selectOf([...columns, ...historyColumns]);
  // A row that is deleted and inserted again keeps no column that another version of the service has added.
  const deleteRow = connection
    .prepare<[bigint], [bigint | null, string | null]>(
      `DELETE FROM ${name} WHERE id = ? RETURNING added_at, added_by`,
    )
    .safeIntegers()
    .raw();
  const insertChanged = connection.prepare(
    `INSERT INTO ${name} (id, added_by, changed_by, changed_at, ${seqColumn}, added_at, original, deleted, ${texts.join(', ')})
      VALUES (?, ?, ?, ?, ?, ?, ?, ?${', ?'.repeat(texts.length)}) ON CONFLICT (id) DO NOTHING`,
  );
  const lastChange = `FROM ${name} WHERE ${seqColumn} IS NOT NULL ORDER BY ${seqColumn} DESC LIMIT 1`;
  const selectLastNumber = connection
    .prepare<[], number>(`SELECT CAST(${seqColumn} AS REAL) ${lastChange}`)
    .pluck();
  const selectLastPosition = connection
    .prepare<[], [string, number | null, bigint]>(
      `SELECT ${generationSql}, number, id
        FROM (SELECT 1) LEFT JOIN (SELECT CAST(${seqColumn} AS REAL) AS number, id ${lastChange})`,
    )
    .safeIntegers()
    .raw();
  /** The number of the last change; within a transaction that writes nobody else can add one. */
  const lastNumber = () => selectLastNumber.get() ?? 0;
  /** A number that differs from the one before if another connection has committed meanwhile. */
  const dataVersion = connection.prepare<[], bigint>('PRAGMA data_version').safeIntegers().pluck();

  let syncedVersion: bigint | undefined;

  /**
   * Makes durable what was read. Commits of this connection are synced before anybody sees them; the log is synced once more if
   * another one may have changed the file since.
   *
   * @param version of the connection, when it was read
   */
  function confirmDurable(version: bigint | undefined): void {
    if (version === syncedVersion) return;
    syncLog();
    syncedVersion = version;
  }

  function findOne(id: bigint): StoredRecord<Resource> | undefined {
    const row = select.get(id);
    return row && toRecord(row);
  }

  /**
   * Reads a page by id that is short, which takes less time than two messages to the thread of lists; `undefined` if it has a filter,
   * many plants, much text or a tombstone.
   */
  function listShort(query: ListQuery, { matches, bytes }: ListLimits): Listed<Resource> | undefined {
    if (matches > shortPage || query.order !== 'id' || isFiltered(query)) return undefined;
    const after = query.after?.id ?? belowAll;
    if ((measurePage.get(after, matches + 1) ?? 0) > bytes) return undefined;
    const records = selectPage.all(after, matches + 1).map(toRecord);
    if (records.some(isTombstone)) return undefined;
    const live = withoutTombstones(records.slice(0, matches));
    const end = records.length > matches ? live.at(-1) : undefined;
    return { records: live, last: end && { id: end.id, addedAt: end.addedAt ?? undefined } };
  }

  /** Inserts as many records as one statement takes, or none if some id is taken; the first change has the number after one. */
  const insertTogether = connection.transaction(
    (records: readonly Stored<Resource>[], now: number, last: number) => {
      const values: unknown[] = [];
      let number = last;
      for (const record of records) {
        const { id, addedAt = now, addedBy = null } = record;
        values.push(id, addedAt, ++number, addedBy, ...toTexts(record));
      }
      if (insertMany.run(values).changes !== records.length) throw someTaken;
    },
  );

  function wereInserted(records: readonly Stored<Resource>[], now: number, last: number): boolean {
    try {
      insertTogether(records, now, last);
      return true;
    } catch (error) {
      if (error === someTaken) return false;
      throw error;
    }
  }

  /** Returns when it was, and what has the id of each record that was not stored; `taken` is `undefined` if all were stored. */
  function createAll(records: readonly Stored<Resource>[]) {
    const now = Date.now();
    let number = lastNumber();
    let taken: Map<number, StoredRecord<Resource>> | undefined;
    for (let start = 0; start < records.length; start += rowsTogether) {
      const some = records.slice(start, start + rowsTogether);
      if (some.length === rowsTogether && wereInserted(some, now, number)) {
        number += rowsTogether;
        continue;
      }
      for (const [index, record] of some.entries()) {
        const { id, addedAt = now, addedBy = null } = record;
        if (insert.run(id, addedAt, number + 1, addedBy, ...toTexts(record)).changes === 1) {
          number++;
          continue;
        }
        const existing = findOne(id);
        // A trigger may skip a row silently.
        if (existing === undefined) throw new Error(`The record ${id} was not stored, and no row has its id`);
        taken ??= new Map();
        taken.set(start + index, existing);
      }
    }
    return { now, taken, version: taken && dataVersion.get() };
  }

  function changeOne({ id, replace, by }: Change<Resource>, now: number): ChangeOutcome<Resource> {
    const before = findOne(id);
    const after = replace(before);
    if (after === undefined) return { before, after };
    // Before the row is deleted, which may have the last number.
    const change = [changedAtOf(after, now), lastNumber() + 1];
    const [addedBefore, addedBy] = deleteRow.get(id) ?? [null, null];
    const reusesId = before !== undefined && isTombstone(before);
    const values = [
      ...(reusesId ? [by ?? null, null] : [addedBy, by ?? null]),
      ...change,
      ...(isTombstone(after)
        ? [addedBefore, null, 1, ...erasedTexts]
        : [after.addedAt ?? null, after.original ?? null, 0, ...toTexts(after)]),
    ];
    // A trigger may skip a row silently.
    if (insertChanged.run(id, ...values).changes !== 1) throw new Error(`The record ${id} was not changed`);
    return { before, after };
  }

  const createTransaction = connection.transaction(createAll);
  const changeTransaction = connection.transaction((changes: readonly Change<Resource>[]) => ({
    outcomes: changes.map((change) => changeOne(change, Date.now())),
    version: dataVersion.get(),
  }));
  const findAll = (ids: readonly bigint[]) => ids.map(findOne).filter((record) => record !== undefined);
  const findTransaction = connection.transaction(findAll);

  return {
    async create(records) {
      if (records.length === 0) return [];
      onWrite(records.length);
      const { now, taken } = await transact(() => {
        const created = createTransaction.immediate(records);
        if (created.taken !== undefined) confirmDurable(created.version);
        return created;
      });
      return records.map(({ addedAt = now }, index) => {
        const existing = taken?.get(index);
        return existing === undefined ? { stored: true, addedAt } : { stored: false, existing };
      });
    },
    async change(changes) {
      if (changes.length === 0) return [];
      onWrite(changes.length);
      try {
        return await transact(() => {
          const { outcomes, version } = changeTransaction.immediate(changes);
          confirmDurable(version);
          return outcomes;
        });
      } finally {
        onErased();
      }
    },
    find: (ids) =>
      transact(() => {
        // One statement is a transaction by itself, in less time.
        const found = ids.length === 1 ? findAll(ids) : findTransaction(ids);
        // Read after that, it may be of a later commit, which is then synced, too.
        confirmDurable(dataVersion.get());
        return found;
      }),
    findHistory: (ids) =>
      transact(() => {
        const rows = ids.map((id) => selectHistory.get(id)).filter((row) => row !== undefined);
        confirmDurable(dataVersion.get());
        return rows.map(toHistory);
      }),
    list: (query, limits) =>
      transact(async () => {
        const listed = listShort(query, limits) ?? (await listRecords(query, limits));
        confirmDurable(dataVersion.get());
        return { ...listed, records: withoutTombstones(listed.records) };
      }),
    countValues: (column, after, limits) =>
      transact(async () => {
        const counted = await countValues(column, after, limits);
        confirmDurable(dataVersion.get());
        return counted;
      }),
    listChanges: (after, limits) =>
      transact(async () => {
        const number = lastNumber();
        const listed = await listChanges(after, limits);
        requireCurrent(after, listed.last.generation, number);
        confirmDurable(dataVersion.get());
        return listed;
      }),
    lastChange: () =>
      transact(() => {
        const [generation = '', number, id] = selectLastPosition.get() ?? [];
        confirmDurable(dataVersion.get());
        return { generation, ...(number == null || id === undefined ? beforeNumbers : { number, id }) };
      }),
    read: (after, limits) =>
      readPages(async (last) => {
        const query = {
          order: 'id',
          after: last === undefined ? undefined : { id: last },
          tombstones: true,
        } as const;
        const { records } = await transact(() => listRecords(query, { ...limits, matches: limits.records }));
        return records;
      }, after),
  };
}
