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
  const minPlants = countPlants(database);
  database.prepare('VACUUM INTO ?').run(copyPath);
  database.close();

  const copied = new Database(copyPath, { fileMustExist: true, readonly: true });
  const verdict = copied.pragma('integrity_check(1)', { simple: true });
  if (verdict !== 'ok') throw new Error(`the copy is damaged: ${verdict}`);
  const plants = countPlants(copied);
  // Plants are never deleted.
  if (plants < minPlants) throw new Error(`the copy has ${plants} of at least ${minPlants} plants`);
  copied.close();
  return plants;
}

/** @param {import('better-sqlite3').Database} database */
function countPlants(database) {
  return Number(database.prepare('SELECT count(*) FROM plants').pluck().get());
}

const [, , path = '', copyPath = ''] = process.argv;
try {
  process.stdout.write(String(copy(path, copyPath)));
} catch (error) {
  process.stderr.write(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
