import { accessSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { codeOf } from '../../errors/operator-error.js';
import { docsPath } from '../../package-folder.js';
import { type DriverError, findAdapterError, type Meaning } from '../database.js';
import { describeNonDatabase } from '../file-kind.js';

/** Explains why a database cannot be opened, and what the operator can do about it. */
export function explainFailure(error: unknown, path: string): string {
  const { code, message } = findDriverError(error) ?? findCause(error);
  if (meaningOf(code) === 'damaged') {
    const kind = describeNonDatabase(path);
    return `The database ${path} is damaged, or is not a database: ${message}${kind === undefined ? '' : `; it is ${kind}`}
If it is a plant store, stop every service that uses it and restore a backup, as ${docsPath('docs/operate/restore.md')} describes. Otherwise, set DATABASE_URL to another file.`;
  }
  if (code === 'ERR_DLOPEN_FAILED' || code === 'MODULE_NOT_FOUND') {
    return `The SQLite driver, better-sqlite3, failed to load in Node.js ${process.version} on ${process.platform} ${process.arch}: ${message}
It was installed for another Node.js version or machine. Remove node_modules, install the packages with this Node.js version, and build again.`;
  }
  const cannotBeOpened = `The database ${path} cannot be opened`;
  if (isBusy(error)) {
    return `${cannotBeOpened}: another process has locked it. Wait for that process to finish, or stop it.`;
  }
  const closed = findClosedFolder(dirname(path));
  if (closed !== undefined) {
    return `${cannotBeOpened}: this user cannot enter the folder ${closed}.
Run the command as the user who owns the database, let this user enter the folder, or set DATABASE_URL to a file elsewhere.`;
  }
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    return `${cannotBeOpened}: it is a folder.
Set DATABASE_URL to a file in it, such as file:${join(path, 'plant-store.db')}.`;
  return `${cannotBeOpened}: ${message}
Set DATABASE_URL to a SQLite file. This user must be able to write to the file and its folder.`;
}

function findCause(error: unknown): DriverError {
  if (!(error instanceof Error)) return { message: String(error) };
  // For a missing module, Node.js lists the files that required it after the first line.
  const [message = ''] = error.message.split('\n');
  return { ...('code' in error && { code: String(error.code) }), message };
}

/** Returns the first folder on the path to a folder, including the folder itself, that exists but cannot be entered. */
export function findClosedFolder(folder: string): string | undefined {
  const parent = dirname(folder);
  const above = parent === folder ? undefined : findClosedFolder(parent);
  if (above !== undefined) return above;
  try {
    // In a folder that cannot be entered, no name can be accessed, not even `.`.
    accessSync(`${folder}/.`);
    return undefined;
  } catch (error) {
    return codeOf(error) === 'EACCES' ? folder : undefined;
  }
}

/**
 * Finds SQLite's error, with a result code such as `SQLITE_BUSY`, inside an error from Prisma or the driver. Returns `undefined` for any
 * other error.
 */
export function findDriverError(error: unknown): DriverError | undefined {
  if (error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_')) {
    return { code: String(error.code), message: error.message };
  }
  return findAdapterError(error);
}

/** Whether another process or connection has locked the file, so that a retry may help. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(findDriverError(error)?.code ?? '');
}

/** Whether a constraint or a trigger rejected a row. */
export function isRowRejected(error: unknown): boolean {
  return /^SQLITE_CONSTRAINT/.test(findDriverError(error)?.code ?? '');
}

/** Matches the result codes for a file that is damaged or not a database. */
const damagedCodes = /^SQLITE_(CORRUPT|NOTADB|IOERR_CORRUPTFS)/;

/**
 * Matches the result codes for a file that cannot be used at the moment, whatever the statement: the file is locked by another process or
 * read-only, or the disk is full or failing.
 */
const unavailableCodes = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|PROTOCOL)/;

/** Returns what a SQLite result code means for a request. */
export function meaningOf(code = ''): Meaning {
  if (damagedCodes.test(code)) return 'damaged';
  return unavailableCodes.test(code) ? 'unavailable' : 'bug';
}
