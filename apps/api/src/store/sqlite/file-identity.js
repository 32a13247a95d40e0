// @ts-check
// JavaScript, since the program of the checkpoint thread, which is not compiled, imports it.
import { statSync } from 'node:fs';

/**
 * The database file, its write-ahead log (`-wal`), and the index of that log (`-shm`).
 *
 * @param {string} path
 * @returns {string}
 * @throws {Error} of the operating system when it does not exist, or cannot be reached
 */
function readIdentity(path) {
  const { dev, ino } = statSync(path, { bigint: true });
  return `${dev}:${ino}`;
}

/**
 * Identifies the files of a SQLite database that is open in WAL mode.
 *
 * @param {string} path of the database file
 * @returns {DatabaseFiles}
 */
export function identifyFiles(path) {
  return { database: identify(path), log: identify(`${path}-wal`), index: identify(`${path}-shm`) };
}

/**
 * @param {string} path
 * @returns {KnownFile}
 */
function identify(path) {
  return { path, identity: readIdentity(path) };
}

/**
 * Describes how a file was lost.
 *
 * @param {KnownFile} file
 * @returns {string | undefined} a sentence without a full stop; `undefined` when the same file is still at its path
 */
export function findLoss({ path, identity }) {
  try {
    return readIdentity(path) === identity ? undefined : `${path} was replaced by another file`;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return `${path} was deleted or moved away`;
    return `${path} can no longer be reached (${String(error)})`;
  }
}

/**
 * Throws if a file was lost: in another log the index of this one would point at something else.
 *
 * @param {DatabaseFiles} files
 * @throws {Error} that says which one, and how
 */
export function requireFiles({ database, log, index }) {
  const loss = findLoss(database) ?? findLoss(log) ?? findLoss(index);
  if (loss !== undefined) throw new Error(loss);
}

/**
 * A path, and the identity of the file that was there.
 *
 * @typedef {{ readonly path: string, readonly identity: string }} KnownFile
 */

/**
 * The database file, its write-ahead log (`-wal`), and the index of that log (`-shm`).
 *
 * @typedef {{ readonly database: KnownFile, readonly log: KnownFile, readonly index: KnownFile }} DatabaseFiles
 */
