// @ts-check
// The program of a separate process: SQLite copies in one call, which can only be interrupted by killing the process.
import Database from 'better-sqlite3';

/** How long to wait for another process that has locked a file, in milliseconds. */
const timeout = 60_000;

/**
 * Copies a consistent snapshot of a database into an empty file, and checks the copy.
 *
 * @param {string} path
 * @param {string} copyPath
 * @returns {number} how many plants the copy has
 */
function copy(path, copyPath) {
  const database = new Database(path, { fileMustExist: true, timeout });
  database.pragma('synchronous = FULL');
  const minRows = countRows(database);
  database.prepare('VACUUM INTO ?').run(copyPath);
  database.close();

  const copied = new Database(copyPath, { fileMustExist: true, readonly: true });
  const verdict = copied.pragma('integrity_check(1)', { simple: true });
  if (verdict !== 'ok') throw new Error(`the copy is damaged: ${verdict}`);
  const rows = countRows(copied);
  // A plant that is deleted keeps its row.
  if (rows < minRows) throw new Error(`the copy has ${rows} of at least ${minRows} plants`);
  const deleted = hasTombstones(copied) ? countRows(copied, 'WHERE deleted') : 0;
  copied.close();
  return rows - deleted;
}

/** @param {import('better-sqlite3').Database} database */
function countRows(database, where = '') {
  return Number(database.prepare(`SELECT count(*) FROM plants ${where}`).pluck().get());
}

/**
 * Whether it has the column; a database whose migrations are pending may have none.
 *
 * @param {import('better-sqlite3').Database} database
 */
function hasTombstones(database) {
  return (
    database.prepare(`SELECT 1 FROM pragma_table_info('plants') WHERE name = 'deleted'`).get() !== undefined
  );
}

const [, , path = '', copyPath = ''] = process.argv;
try {
  process.stdout.write(String(copy(path, copyPath)));
} catch (error) {
  process.stderr.write(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
