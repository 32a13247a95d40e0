import { accessSync } from 'node:fs';
import { dirname } from 'node:path';
import { findDriverError, isBusy, isDamaged } from './driver-error.js';

/** Why a database cannot be opened, and what its operator can do about it. */
export function explainFailure(error: unknown, path: string): string {
  const { code, message } = findCause(error);
  if (isDamaged(error)) {
    return `The database ${path} is damaged, or is no database: ${message}
If it is a plant store, stop every service on it and restore a backup, as docs/backup.md describes. Otherwise let DATABASE_URL name another file.`;
  }
  if (code === 'ERR_DLOPEN_FAILED' || code === 'MODULE_NOT_FOUND') {
    return `The driver of SQLite, better-sqlite3, does not load in Node.js ${process.version} on ${process.platform} ${process.arch}: ${message}
It was installed for another Node.js or another machine: remove node_modules, install again with this one, and build.`;
  }
  const cannotBeOpened = `The database ${path} cannot be opened`;
  if (isBusy(error)) {
    return `${cannotBeOpened}: another process holds it. Wait until that is done, or end it.`;
  }
  const closed = findClosedFolder(dirname(path));
  if (closed !== undefined) {
    return `${cannotBeOpened}: this user may not enter the folder ${closed}.
Run the command as the user that the database belongs to, let this user enter the folder, or let DATABASE_URL name a file elsewhere.`;
  }
  return `${cannotBeOpened}: ${message}
Let DATABASE_URL name a SQLite file that this user may write, in a folder that this user may write.`;
}

function findCause(error: unknown): { readonly code: unknown; readonly message: string } {
  const fault = findDriverError(error);
  if (fault !== undefined) return fault;
  if (!(error instanceof Error)) return { code: undefined, message: String(error) };
  // What Node.js says of a module that is missing goes on with the files that wanted it.
  const [message = ''] = error.message.split('\n');
  return { code: 'code' in error ? error.code : undefined, message };
}

/** The first folder on the way to one, it included, that is there but may not be entered. */
function findClosedFolder(folder: string): string | undefined {
  const parent = dirname(folder);
  const above = parent === folder ? undefined : findClosedFolder(parent);
  if (above !== undefined) return above;
  try {
    // In a folder that may not be entered nothing is found, not even itself.
    accessSync(`${folder}/.`);
    return undefined;
  } catch (error) {
    const isClosed = error instanceof Error && 'code' in error && error.code === 'EACCES';
    return isClosed ? folder : undefined;
  }
}
