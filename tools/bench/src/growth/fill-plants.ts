import { closeSync, fsyncSync, openSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Database from 'better-sqlite3';

/** Each chunk is sorted before it is inserted, which is fast, and spread over the whole tree, as random ids are. */
const chunkSize = 500_000;
const cacheKibibytes = 2_000_000;

/**
 * Fills a migrated database that is not open elsewhere with plants under random ids like those of the load, and syncs it
 * to disk, so that none of that writing is left for the measurement.
 */
export async function fillPlants(databasePath: string, count: number): Promise<void> {
  const database = new Database(databasePath, { fileMustExist: true });
  try {
    // Without this, SQLite does not turn off its journal.
    database.unsafeMode();
    database.exec(
      `PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -${cacheKibibytes}; PRAGMA temp_store = MEMORY;`,
    );
    const insertChunk = database.prepare<[number]>(insertChunkStatement);
    for (let stored = 0; stored < count; stored += chunkSize) {
      insertChunk.run(Math.min(chunkSize, count - stored));
      // Lets this process handle signals.
      await nextTurn();
    }
    database.pragma('journal_mode = WAL');
  } finally {
    database.close();
  }
  const file = openSync(databasePath, 'r+');
  fsyncSync(file);
  closeSync(file);
}

/** Random ids of 16 digits up to 2^53, sorted. An id that is already taken is skipped, which is rare. */
const insertChunkStatement = `
  WITH RECURSIVE
    counter (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter WHERE n < ?),
    ids (id) AS MATERIALIZED (SELECT 1000000000000000 + abs(random() / 2) % 8007199254740992 FROM counter)
  INSERT OR IGNORE INTO plants (id, name, tag)
  SELECT id, 'Monstera deliciosa ' || (id % 1000), 'houseplant' FROM ids ORDER BY id`;
