import Sqlite from 'better-sqlite3';
import { isTombstone, type StoredRecord } from '../store.js';
import type { Table } from '../table.js';
import { durablePragmas, lockTimeoutMs } from './connections.js';

/** Opens the connection of the plants, with the settings of the service: each commit is on disk before it returns. */
export function openConnection(path: string): Sqlite.Database {
  const connection = new Sqlite(path, { fileMustExist: true, timeout: lockTimeoutMs });
  try {
    connection.exec(durablePragmas);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** What a transaction has read, and `readDataVersion` in it. */
export interface Snapshot<Records> {
  readonly records: Records;
  readonly version: bigint;
}

/** What a store does with its connection. It keeps the statements prepared. */
export interface Statements<Resource> {
  /**
   * Inserts records in their order, in one commit.
   *
   * @returns what has the id of each that was not stored; `undefined` if all were stored
   */
  insert(
    records: readonly StoredRecord<Resource>[],
  ): Snapshot<readonly (StoredRecord<Resource> | undefined)[]> | undefined;
  /** Reads what has one of the ids. */
  find(ids: readonly bigint[]): Snapshot<readonly StoredRecord<Resource>[]>;
  /** A number that differs from the one before if another connection has committed meanwhile. */
  readDataVersion(): bigint;
}

/** Prepares the statements, none of which may be run while another one of the connection is. */
export function prepareStatements<Resource>(
  connection: Sqlite.Database,
  table: Table<Resource>,
): Statements<Resource> {
  const { name, columns, texts, required } = table;
  const insertLive = connection.prepare(
    `INSERT INTO ${name} (id, added_at, ${texts.join(', ')}) VALUES (?, ?${', ?'.repeat(texts.length)})
      ON CONFLICT (id) DO NOTHING`,
  );
  // A row that is deleted and inserted again keeps no column, nor one that another version of the service has added.
  const deleteLive = connection
    .prepare<[bigint], bigint | null>(`DELETE FROM ${name} WHERE id = ? AND NOT deleted RETURNING added_at`)
    .safeIntegers()
    .pluck();
  const insertTombstone = connection.prepare<[bigint, bigint | null]>(
    `INSERT INTO ${name} (id, added_at, deleted, ${required.join(', ')}) VALUES (?, ?, true${", ''".repeat(required.length)})
      ON CONFLICT (id) DO NOTHING`,
  );
  const dataVersion = connection.prepare('PRAGMA data_version').safeIntegers().pluck();
  const select = connection
    .prepare<[bigint], unknown[]>(`SELECT ${columns.join(', ')} FROM ${name} WHERE id = ?`)
    .safeIntegers()
    .raw();

  /** Whether it was stored. */
  function insertOne(record: StoredRecord<Resource>, now: number): boolean {
    if (!isTombstone(record)) {
      const { id, addedAt = now } = record;
      return insertLive.run([id, addedAt, ...table.toTexts(record)]).changes === 1;
    }
    const addedAt = deleteLive.get(record.id) ?? null;
    return insertTombstone.run(record.id, addedAt).changes === 1;
  }

  function findOne(id: bigint): StoredRecord<Resource> | undefined {
    const row = select.get(id);
    return row && table.toRecord(row);
  }

  /** @throws {Error} when a trigger has skipped the record, which it does silently */
  function findTaken(record: StoredRecord<Resource>): StoredRecord<Resource> {
    const { id } = record;
    const taken = findOne(id);
    if (taken === undefined) throw new Error(`The record ${id} was not stored, and no row has its id`);
    if (isTombstone(record) && !isTombstone(taken)) throw new Error(`The record ${id} was not deleted`);
    return taken;
  }

  const readDataVersion = () => dataVersion.get() as bigint;
  const insert = connection.transaction((records: readonly StoredRecord<Resource>[]) => {
    const now = Date.now();
    let taken: (StoredRecord<Resource> | undefined)[] | undefined;
    for (const [index, record] of records.entries()) {
      if (insertOne(record, now)) continue;
      taken ??= Array(records.length).fill(undefined);
      taken[index] = findTaken(record);
    }
    return taken && { records: taken, version: readDataVersion() };
  });
  const find = connection.transaction((ids: readonly bigint[]) => ({
    records: ids.map(findOne).filter((record) => record !== undefined),
    version: readDataVersion(),
  }));
  return { insert: insert.immediate, find, readDataVersion };
}

/** The most that is mapped, in bytes, which is SQLite's own maximum; the rest of a file is read by system calls. */
const mapBytes = 2 ** 31 - 2 ** 16;

/**
 * SQLite reads a page with a system call, unless the file is mapped into memory: then it copies the page from there.
 * Writes are not affected. The map is as long as the file was when it was created, with the first read; so it is
 * created again for a file that has grown.
 */
const createMapScript = `
  PRAGMA mmap_size = 0;
  PRAGMA mmap_size = ${mapBytes};
  SELECT id FROM plants NOT INDEXED LIMIT 1;`;

/**
 * Maps the file of a connection into memory, now and after each `plantsPerMap` plants.
 *
 * @returns a function to call with the number of plants of each insert, while no statement runs on the connection
 */
export function enableMmap(connection: Sqlite.Database, plantsPerMap = 100_000): (plants: number) => void {
  connection.exec(createMapScript);
  let plantsSince = 0;
  return function grow(plants) {
    plantsSince += plants;
    if (plantsSince < plantsPerMap) return;
    plantsSince = 0;
    try {
      connection.exec(createMapScript);
    } catch {
      // Without a map, the file is read by system calls.
    }
  };
}
