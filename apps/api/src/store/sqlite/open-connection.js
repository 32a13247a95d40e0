// @ts-check
// This is JavaScript because the programs of threads, which are not compiled, import it.
import Database from 'better-sqlite3';

/**
 * Opens a connection to a file that exists.
 *
 * @param {string} path
 * @param {string} pragmas run first
 * @param {() => void} checkFiles called after the database is opened and before the first statement opens the log. It throws if the file at the
 * path was replaced, because SQLite would then rebuild the log's index or delete the log.
 * @param {Database.Options} options
 * @returns {Database.Database}
 */
export function openFile(path, pragmas, checkFiles, options) {
  const connection = new Database(path, { fileMustExist: true, ...options });
  try {
    checkFiles();
    connection.exec(pragmas);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}
