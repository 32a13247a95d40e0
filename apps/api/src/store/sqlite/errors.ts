import { accessSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { databaseDamaged, databaseUnavailable } from '../database.js';

/** Explains why a database cannot be opened, and what the operator can do about it. */
export function explainFailure(error: unknown, path: string): string {
  const { code, message } = findCause(error);
  if (isDamaged(error)) {
    return `The database ${path} is damaged, or is not a database: ${message}
If it is a plant store, stop every service on it and restore a backup, as docs/operate/backup.md describes. Otherwise set DATABASE_URL to another file.`;
  }
  if (code === 'ERR_DLOPEN_FAILED' || code === 'MODULE_NOT_FOUND') {
    return `The driver of SQLite, better-sqlite3, fails to load in Node.js ${process.version} on ${process.platform} ${process.arch}: ${message}
It was installed for another Node.js or another machine: remove node_modules, install again with this one, and build.`;
  }
  const cannotBeOpened = `The database ${path} cannot be opened`;
  if (isBusy(error)) {
    return `${cannotBeOpened}: another process has locked it. Wait until that is done, or stop it.`;
  }
  const closed = findClosedFolder(dirname(path));
  if (closed !== undefined) {
    return `${cannotBeOpened}: this user may not enter the folder ${closed}.
Run the command as the user that the database belongs to, let this user enter the folder, or set DATABASE_URL to a file elsewhere.`;
  }
  return `${cannotBeOpened}: ${message}
Set DATABASE_URL to a SQLite file that this user may write, in a folder that this user may write.`;
}

function findCause(error: unknown): { readonly code: unknown; readonly message: string } {
  const driverError = findDriverError(error);
  if (driverError !== undefined) return driverError;
  if (!(error instanceof Error)) return { code: undefined, message: String(error) };
  // For a missing module, Node.js lists the files that required it after the first line.
  const [message = ''] = error.message.split('\n');
  return { code: 'code' in error ? error.code : undefined, message };
}

/** The first folder on the path to a folder, including itself, that exists but may not be entered. */
function findClosedFolder(folder: string): string | undefined {
  const parent = dirname(folder);
  const above = parent === folder ? undefined : findClosedFolder(parent);
  if (above !== undefined) return above;
  try {
    // In a folder that may not be entered, no name can be accessed, not even `.`.
    accessSync(`${folder}/.`);
    return undefined;
  } catch (error) {
    const isClosed = error instanceof Error && 'code' in error && error.code === 'EACCES';
    return isClosed ? folder : undefined;
  }
}

/** An error of SQLite: its result code, such as `SQLITE_BUSY`, and its message. */
interface DriverError {
  readonly code: string;
  readonly message: string;
}

const CauseSchema = z.object({ originalCode: z.string(), originalMessage: z.string() });

/** Where errors of Prisma's client and of its driver adapter contain that. */
const ErrorSchema = z.union([
  z.object({ meta: z.object({ driverAdapterError: z.object({ cause: CauseSchema }) }) }),
  z.object({ cause: CauseSchema }),
]);

/** The error of SQLite within an error of Prisma or the driver; `undefined` for any other error. */
export function findDriverError(error: unknown): DriverError | undefined {
  if (error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_')) {
    return { code: String(error.code), message: error.message };
  }
  const parsed = ErrorSchema.safeParse(error);
  if (!parsed.success) return undefined;
  const { originalCode, originalMessage } =
    'meta' in parsed.data ? parsed.data.meta.driverAdapterError.cause : parsed.data.cause;
  return { code: originalCode, message: originalMessage };
}

/** Whether another process or connection has locked the file, so that a retry may help. */
function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(findDriverError(error)?.code ?? '');
}

/** Whether the file is damaged or not a database, so that a retry cannot help. */
function isDamaged(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB|IOERR_CORRUPTFS)/.test(findDriverError(error)?.code ?? '');
}

/** Whether a constraint or a trigger has rejected a row. */
export function isRowRejected(error: unknown): boolean {
  return /^SQLITE_CONSTRAINT/.test(findDriverError(error)?.code ?? '');
}

/**
 * The SQLite result codes for a file that cannot be used at the moment, whatever the statement: it is locked by another
 * process or read-only, or the disk is full or failing.
 */
const unavailableCodes = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|PROTOCOL)/;

/** Converts a failure of the database, as opposed to one of the query, into an error of the registry; see `Transact`. */
export function toServiceError(error: unknown): unknown {
  const driverError = findDriverError(error);
  if (driverError === undefined) return error;
  // Prisma's own message has only the kind of error.
  const { code, message } = driverError;
  const cause = new Error(`${code}: ${message}`, { cause: error });
  if (isDamaged(error)) return databaseDamaged(cause);
  return unavailableCodes.test(code) ? databaseUnavailable(cause) : cause;
}

/** How long to wait between these attempts, and for how long at first; after that less, in milliseconds. */
const busyDelayMs = 10;
const patientMs = 200;
const impatientDelayMs = 2;

/**
 * Runs an action, and retries it while another process has locked the file, until the timeout. Unlike SQLite's own busy
 * timeout it does not block the thread. Of several that wait, the one that has waited for long retries more often, so that none
 * is left behind for good.
 *
 * @throws what the last attempt threw
 */
export async function retryWhileBusy<Result>(
  action: () => Result | Promise<Result>,
  timeoutMs: number,
): Promise<Result> {
  const startedAt = performance.now();
  for (;;) {
    try {
      return await action();
    } catch (error) {
      const waitedMs = performance.now() - startedAt;
      if (!isBusy(error) || waitedMs >= timeoutMs) throw error;
      await sleep(waitedMs < patientMs ? busyDelayMs : impatientDelayMs);
    }
  }
}
