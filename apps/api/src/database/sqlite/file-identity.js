// @ts-check
// JavaScript, since the thread for checkpoints imports it as it stands.
import { statSync } from 'node:fs';

/**
 * Which file is under a name: its device and inode (POSIX.1-2024, `sys/stat.h`), which stay the same as long as it exists.
 *
 * @param {string} path
 * @returns {string}
 * @throws {Error} of the system when there is none, or it cannot be reached
 */
function readIdentity(path) {
  const { dev, ino } = statSync(path, { bigint: true });
  return `${dev}:${ino}`;
}

/**
 * The files of a SQLite database that is open in WAL mode, and which they are.
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
 * What has become of a file that was there.
 *
 * @param {KnownFile} file
 * @returns {string | undefined} a sentence without its end; `undefined` when the file still is where it was
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
 * A file, and which one it is.
 *
 * @typedef {{ readonly path: string, readonly identity: string }} KnownFile
 */

/**
 * The file itself, its write-ahead log (`-wal`), and the index of that log (`-shm`).
 *
 * @typedef {{ readonly database: KnownFile, readonly log: KnownFile, readonly index: KnownFile }} DatabaseFiles
 */
