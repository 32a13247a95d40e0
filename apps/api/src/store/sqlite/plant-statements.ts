import Sqlite from 'better-sqlite3';
import { isTombstone, type StoredRecord } from '../../plants/plant-store.js';
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

/** Values of id, name, tag, time, and whether it was deleted. */
export type Row = readonly [bigint, string, string | null, bigint | null, bigint];

/** What a transaction has read, and `readDataVersion` in it. */
export interface Snapshot<Rows> {
  readonly rows: Rows;
  readonly version: bigint;
}

/** What the plant store does with its connection. It keeps the statements prepared. */
export interface PlantStatements {
  /**
   * Inserts records in their order, in one commit.
   *
   * @returns what has the id of each that was not stored; `undefined` if all were stored
   */
  insert(records: readonly StoredRecord[]): Snapshot<readonly (Row | undefined)[]> | undefined;
  /** Reads what has one of the ids. */
  find(ids: readonly bigint[]): Snapshot<readonly Row[]>;
  /** A number that differs from the one before if another connection has committed meanwhile. */
  readDataVersion(): bigint;
}

/** Prepares the statements, none of which may be run while another one of the connection is. */
export function preparePlantStatements(connection: Sqlite.Database): PlantStatements {
  const insertPlant = connection.prepare<[bigint, string, string | null, number | null]>(
    'INSERT INTO plants (id, name, tag, added_at) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
  );
  const insertTombstone = connection.prepare<[bigint]>(
    `INSERT INTO plants (id, name, deleted) VALUES (?, '', true)
      ON CONFLICT (id) DO UPDATE SET name = '', tag = NULL, deleted = true WHERE NOT deleted`,
  );
  const dataVersion = connection.prepare('PRAGMA data_version').safeIntegers().pluck();
  const select = connection
    .prepare<[bigint], Row>('SELECT id, name, tag, added_at, deleted FROM plants WHERE id = ?')
    .safeIntegers()
    .raw();

  /** Whether it was stored. */
  function insertOne(record: StoredRecord, now: number): boolean {
    if (isTombstone(record)) return insertTombstone.run(record.id).changes === 1;
    const { id, name, tag = null, addedAt = now } = record;
    return insertPlant.run(id, name, tag, addedAt).changes === 1;
  }

  /** @throws {Error} when a trigger has skipped the record, which it does silently */
  function findTaken(record: StoredRecord): Row {
    const row = select.get(record.id);
    if (row === undefined) throw new Error(`The plant ${record.id} was not stored, and no row has its id`);
    if (isTombstone(record) && row[4] === 0n) throw new Error(`The plant ${record.id} was not deleted`);
    return row;
  }

  const readDataVersion = () => dataVersion.get() as bigint;
  const insert = connection.transaction((records: readonly StoredRecord[]) => {
    const now = Date.now();
    let taken: (Row | undefined)[] | undefined;
    for (const [index, record] of records.entries()) {
      if (insertOne(record, now)) continue;
      taken ??= Array(records.length).fill(undefined);
      taken[index] = findTaken(record);
    }
    return taken && { rows: taken, version: readDataVersion() };
  });
  const find = connection.transaction((ids: readonly bigint[]) => ({
    rows: ids.map((id) => select.get(id)).filter((row) => row !== undefined),
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
