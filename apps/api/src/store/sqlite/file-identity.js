// @ts-check
// This is JavaScript because the programs of threads, which are not compiled, import it.
import { statSync } from 'node:fs';

/** @typedef {{ readonly path: string, readonly identity: string }} OpenedFile the path of an open file, and its identity */

/**
 * The database file, its write-ahead log (`-wal`), and the index of that log (`-shm`).
 *
 * @typedef {{ readonly database: OpenedFile, readonly log: OpenedFile, readonly index: OpenedFile }} DatabaseFiles
 */

/** Identifies a file by its device and inode (POSIX.1-2024, `sys/stat.h`), which do not change while it exists. */
function readIdentity(/** @type {string} */ path) {
  const { dev, ino } = statSync(path, { bigint: true });
  return `${dev}:${ino}`;
}

/** Identifies the files of a SQLite database that is open in WAL mode. */
export function identifyFiles(/** @type {string} */ path) {
  const identify = (/** @type {string} */ file) => ({ path: file, identity: readIdentity(file) });
  return { database: identify(path), log: identify(`${path}-wal`), index: identify(`${path}-shm`) };
}

/** Describes how a file was lost, without a final period. Returns `undefined` if the same file is still at its path. */
export function findLoss(/** @type {OpenedFile} */ { path, identity }) {
  try {
    return readIdentity(path) === identity ? undefined : `${path} was replaced by another file`;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return `${path} was deleted or moved away`;
    return `${path} can no longer be reached (${String(error)})`;
  }
}

/** Throws an error that says which file was lost, and how. The index of a lost log does not match another log at its path. */
export function requireFiles(/** @type {DatabaseFiles} */ { database, log, index }) {
  const loss = findLoss(database) ?? findLoss(log) ?? findLoss(index);
  if (loss !== undefined) throw new Error(loss);
}
