// @ts-check
// The program of a separate process: SQLite copies and checks in one call, which can only be interrupted by killing the process.
import Database from 'better-sqlite3';

/** How long to wait for another process that has locked a file, in milliseconds. */
const timeout = 60_000;

/**
 * Copies a consistent snapshot of a database into an empty file.
 *
 * @param {string} path
 * @param {string} copyPath
 * @returns {number} how many plants the copy has at least
 */
function copy(path, copyPath) {
  const database = new Database(path, { fileMustExist: true, timeout });
  database.pragma('synchronous = FULL');
  const minRows = countRows(database, 'plants');
  database.prepare('VACUUM INTO ?').run(copyPath);
  database.close();
  return minRows;
}

/**
 * Checks a database, without changing it, and counts what it has. A file from elsewhere may be made to do harm: SQLite then runs no
 * function of it that has effects outside of the database (https://www.sqlite.org/security.html).
 *
 * @param {string} path
 * @param {number} minRows how many plants it must have
 */
function check(path, minRows) {
  const database = new Database(path, { fileMustExist: true, readonly: true });
  database.pragma('trusted_schema = OFF');
  database.pragma('cell_size_check = ON');
  const verdict = database.pragma('integrity_check(1)', { simple: true });
  if (verdict !== 'ok') throw new Error(`it is damaged: ${verdict}`);
  const rows = countRows(database, 'plants');
  // A plant that is deleted keeps its row.
  if (rows < minRows) throw new Error(`the copy has ${rows} of at least ${minRows} plants`);
  const deleted = hasTombstones(database) ? countRows(database, 'plants WHERE deleted') : 0;
  const tokens = countRows(database, 'access_tokens WHERE revoked_at IS NULL');
  database.close();
  return { plants: rows - deleted, tokens };
}

/**
 * @param {import('better-sqlite3').Database} database
 * @param {string} from
 */
function countRows(database, from) {
  return Number(database.prepare(`SELECT count(*) FROM ${from}`).pluck().get());
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

const [, , checked = '', copied] = process.argv;
try {
  const minRows = copied === undefined ? 0 : copy(copied, checked);
  process.stdout.write(JSON.stringify(check(checked, minRows)));
} catch (error) {
  process.stderr.write(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
