import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import Sqlite from 'better-sqlite3';

/** How long SQLite itself waits for a lock, in milliseconds. It blocks this thread. */
const lockTimeoutMs = 5;

/**
 * Opens a connection to a file that exists.
 *
 * @param pragmas run first; by default the settings of the file are not changed
 * @param checkFiles throws if the file at the path is not the one that is already open. Runs when the connection has opened the database,
 * before the first statement opens the log: with another database file, SQLite would rebuild the index of that log, or delete the log.
 */
export function openConnection(path: string, pragmas = '', checkFiles = () => {}): Sqlite.Database {
  const connection = new Sqlite(path, { fileMustExist: true, timeout: lockTimeoutMs });
  try {
    checkFiles();
    connection.exec(pragmas);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

export async function withConnection<Result>(
  open: () => Sqlite.Database,
  run: (connection: Sqlite.Database) => Result | Promise<Result>,
): Promise<Result> {
  const connection = open();
  try {
    return await run(connection);
  } finally {
    connection.close();
  }
}

/** Creates durable connections for Prisma's client. */
export function createFactory(path: string, checkFiles: () => void): SqlDriverAdapterFactory {
  const factory = new PrismaBetterSqlite3({
    url: `file:${path}`,
    timeout: lockTimeoutMs,
    fileMustExist: true,
  });
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    async connect() {
      const connection = await factory.connect();
      try {
        checkFiles();
        await connection.executeScript(durablePragmas);
        return connection;
      } catch (error) {
        await connection.dispose();
        throw error;
      }
    },
  };
}

/**
 * Leaves WAL mode, which merges the log into the database file, and returns `true`. Returns `false` if another connection has the database
 * open. A damaged database also counts as free, because it can be replaced.
 */
export function tryTakeExclusive(path: string): boolean {
  const connection = openConnection(path);
  try {
    // Only the last connection can leave WAL mode (https://www.sqlite.org/wal.html, section 3.1).
    connection.pragma('journal_mode = DELETE');
    return true;
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError)) throw error;
    // A damaged database can be replaced. For any other error, it is unknown whether it is open.
    if (/^SQLITE_(NOTADB|CORRUPT)/.test(error.code)) return true;
    if (error.code.startsWith('SQLITE_BUSY')) return false;
    throw error;
  } finally {
    connection.close();
  }
}

/**
 * The settings of every connection. `synchronous = FULL` syncs the write-ahead log at each commit, and `fullfsync`
 * makes macOS sync the disk's own cache, too (elsewhere it has no effect). `secure_delete` overwrites what is deleted with
 * zeros. What SQLite keeps to undo a statement stays in memory (`temp_store`): a commit must not need a temporary folder, nor leave
 * texts there. The checkpointer moves the log into the database; `wal_autocheckpoint`, in pages, only applies if it fails. A larger
 * cache than 8,000 KiB would not help: since ids are random, it would hardly ever contain the page of the next record.
 */
export const durablePragmas = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA fullfsync = ON;
  PRAGMA wal_autocheckpoint = 32000;
  PRAGMA cache_size = -8000;
  PRAGMA foreign_keys = ON;
  PRAGMA secure_delete = ON;
  PRAGMA temp_store = MEMORY;`;

/** The maximum size of the memory map, in bytes, as limited by SQLite. The rest of a file is read with system calls. */
const mapBytes = 2 ** 31 - 2 ** 16;

/**
 * SQLite reads a page with a system call, unless the file is mapped into memory: then it copies the page from there.
 * Writes are not affected. The map is as long as the file was when it was created, with the first read; so it is
 * created again for a file that has grown.
 */
const createMapScript = (table: string) => `
  PRAGMA mmap_size = 0;
  PRAGMA mmap_size = ${mapBytes};
  SELECT id FROM ${table} NOT INDEXED LIMIT 1;`;

/**
 * Maps the file of a connection into memory, now and after each `recordsPerMap` records.
 *
 * @returns a function to call with the number of records of each insert, while no statement runs on the connection
 */
export function enableMmap(
  connection: Sqlite.Database,
  table: string,
  recordsPerMap = 100_000,
): (records: number) => void {
  const script = createMapScript(table);
  connection.exec(script);
  let recordsSince = 0;
  return function grow(records) {
    recordsSince += records;
    if (recordsSince < recordsPerMap) return;
    recordsSince = 0;
    try {
      connection.exec(script);
    } catch {
      // Without a map, the file is read by system calls.
    }
  };
}
