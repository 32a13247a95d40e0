// @ts-check
// The program of a separate process: SQLite copies and checks in one call, which can only be interrupted by killing the process.
import Database from 'better-sqlite3';

/** How long to wait for another process that has locked a file, in milliseconds. */
const timeout = 60_000;

const [, , tableNames = '', checkedPath = '', copiedPath] = process.argv;
/** @typedef {import('better-sqlite3').Database} Connection */

/** The names of the tables of all resources. */
const tables = tableNames.split(',');

/**
 * Copies a consistent snapshot of a database into an empty file.
 *
 * @param {string} path
 * @param {string} copyPath
 * @returns {Map<string, number>} the minimum number of rows in the copy, by table
 */
function copy(path, copyPath) {
  const database = new Database(path, { fileMustExist: true, timeout });
  database.pragma('synchronous = FULL');
  const minRows = countTables(database);
  database.prepare('VACUUM INTO ?').run(copyPath);
  database.close();
  return minRows;
}

/**
 * Checks a database without changing it, and counts its records and tokens. The file may be malicious, so SQLite must not run functions in it
 * that have effects outside of the database (https://www.sqlite.org/security.html).
 *
 * @param {string} path
 * @param {Map<string, number>} minRows how many rows it must have, by table
 */
function check(path, minRows) {
  const database = new Database(path, { fileMustExist: true, readonly: true });
  database.pragma('trusted_schema = OFF');
  database.pragma('cell_size_check = ON');
  const verdict = database.pragma('integrity_check(1)', { simple: true });
  if (verdict !== 'ok') throw new Error(`it is damaged: ${verdict}`);
  /** @type {Record<string, number>} */
  const records = {};
  for (const [table, rows] of countTables(database)) {
    const minimum = minRows.get(table) ?? 0;
    // A deleted record keeps its row.
    if (rows < minimum) throw new Error(`the copy has ${rows} of at least ${minimum} ${table}`);
    records[table] =
      rows - (hasColumn(database, table, 'deleted') ? countRows(database, `${table} WHERE deleted`) : 0);
  }
  const tokens = countRows(database, 'access_tokens WHERE revoked_at IS NULL');
  database.close();
  return { records, tokens };
}

/** Counts the rows of each table. A table can be missing if migrations are pending. */
function countTables(/** @type {Connection} */ database) {
  return new Map(
    tables.map((table) => [table, hasColumn(database, table, 'id') ? countRows(database, table) : 0]),
  );
}

function countRows(/** @type {Connection} */ database, /** @type {string} */ from) {
  return Number(database.prepare(`SELECT count(*) FROM ${from}`).pluck().get());
}

/** Whether a table has a column. The column can be missing if migrations are pending. */
function hasColumn(
  /** @type {Connection} */ database,
  /** @type {string} */ table,
  /** @type {string} */ column,
) {
  return (
    database.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?').get(table, column) !== undefined
  );
}

try {
  const minRows = copiedPath === undefined ? new Map() : copy(copiedPath, checkedPath);
  process.stdout.write(JSON.stringify(check(checkedPath, minRows)));
} catch (error) {
  process.stderr.write(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
