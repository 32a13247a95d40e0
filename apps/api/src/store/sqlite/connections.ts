import Sqlite from 'better-sqlite3';
import type { Table } from '../table.js';
import { openFile } from './open-connection.js';

/** How long SQLite itself waits for a lock, in milliseconds. It blocks this thread. */
export const lockTimeoutMs = 5;

/**
 * Opens a connection to an existing file.
 *
 * @param pragmas run first. By default, the file's settings are not changed
 * @param checkFiles see `openFile`
 */
export const openConnection = (path: string, pragmas = '', checkFiles = () => {}): Sqlite.Database =>
  openFile(path, pragmas, checkFiles, { timeout: lockTimeoutMs });

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
    // A damaged database can be replaced. After any other error, it is unknown whether the database is open.
    if (/^SQLITE_(NOTADB|CORRUPT)/.test(error.code)) return true;
    if (error.code.startsWith('SQLITE_BUSY')) return false;
    throw error;
  } finally {
    connection.close();
  }
}

/** The settings of every connection that writes. */
export const durablePragmas = `
  PRAGMA journal_mode = WAL;
  -- Syncs the write-ahead log at each commit.
  PRAGMA synchronous = FULL;
  -- On macOS, also syncs the disk's own cache.
  PRAGMA fullfsync = ON;
  -- The checkpointer moves the log into the database. This limit, in pages, only applies if it fails.
  PRAGMA wal_autocheckpoint = 32000;
  -- In KiB. A larger cache would hardly help: IDs are random, so it would rarely contain the page of the next record.
  PRAGMA cache_size = -8000;
  PRAGMA foreign_keys = ON;
  -- Overwrites deleted content with zeros.
  PRAGMA secure_delete = ON;
  -- For the data that undoes a statement: a commit must neither need a temporary folder nor leave texts in one.
  PRAGMA temp_store = MEMORY;`;

/** The size limit of the memory map, in bytes: the most that SQLite allows. The rest of a file is read with system calls. */
const mapBytes = 2 ** 31 - 2 ** 16;

/**
 * Maps the file of a connection into memory, so that reads copy from the map instead of making a system call per page. Writes are unaffected.
 * The map covers the file at the size that it had at the first read, so it must be created again as the file grows, while no statement runs
 * on the connection.
 */
export function mapFile(connection: Sqlite.Database, [table]: readonly Pick<Table, 'name'>[]): void {
  connection.exec(`
    PRAGMA mmap_size = 0;
    PRAGMA mmap_size = ${mapBytes};
    SELECT id FROM ${table?.name ?? 'store'} NOT INDEXED LIMIT 1;`);
}
