import type { NewPlant } from '@plant-store/contract';
import type { ArgType, SqlDriverAdapter, SqlQuery } from '@prisma/driver-adapter-utils';
import { type PageLimits, type PlantStore, type StoredPlant, stored } from '../../plants/plant-store.js';
import { databaseUnavailable } from '../database.js';
import type { QueryWrapper } from '../queries.js';
import { clearArguments, integer, readPages, text } from '../queries.js';
import { type PlantRow, resolveInsertOutcomes, toPlant, toRow } from '../resolve-insert-outcomes.js';
import { isIdTaken } from './errors.js';

/** How the store runs its queries. */
export interface SqlitePlantStoreOptions {
  /** Syncs the write-ahead log to disk. */
  readonly syncLog: () => void;
  /** Runs the queries of an insert. */
  readonly runInsert: QueryWrapper;
  /** Runs the queries of a read. */
  readonly runRead: QueryWrapper;
}

/**
 * Creates the plant store of SQLite. An insert is one statement, and thus one commit, for any number of plants.
 *
 * @param connection a connection of the driver adapter that Prisma's client does not use: an insert must not become
 * part of a transaction of the client
 */
export function createSqlitePlantStore(
  connection: SqlDriverAdapter,
  { syncLog, runInsert, runRead }: SqlitePlantStoreOptions,
): PlantStore {
  return {
    insert: (plants) =>
      runInsert(async () => {
        if (plants.length === 0 || (await insertAll(connection, plants))) return plants.map(() => stored);
        const newIds = await insertNew(connection, plants);
        const outcomes = await resolveInsertOutcomes(plants, newIds, (ids) => findRows(connection, ids));
        // No commit has synced the log, so what was read may not be on disk yet.
        if (newIds.size === 0) syncOrThrow(syncLog);
        return outcomes;
      }),
    read: (after, limits) => readPages((last) => runRead(() => readPage(connection, last, limits)), after),
  };
}

/**
 * Syncs the log before something that was read is acknowledged.
 *
 * @throws {ServiceError} `database_unavailable` when it cannot be synced
 */
export function syncOrThrow(syncLog: () => void): void {
  try {
    syncLog();
  } catch (error) {
    throw databaseUnavailable(error);
  }
}

/** Inserts the plants if all their ids are free, as they usually are; otherwise returns `false` and changes nothing. */
async function insertAll(connection: SqlDriverAdapter, plants: readonly NewPlant[]): Promise<boolean> {
  try {
    const count = await clearArguments(insertStatement(plants), (statement) =>
      connection.executeRaw(statement),
    );
    // A trigger with RAISE(IGNORE) skips rows silently.
    if (count !== plants.length) throw new Error(`Of ${plants.length} plants only ${count} were stored`);
    return true;
  } catch (error) {
    if (isIdTaken(error)) return false;
    throw error;
  }
}

/** Inserts the plants whose id is free, and returns these ids. */
async function insertNew(connection: SqlDriverAdapter, plants: readonly NewPlant[]): Promise<Set<bigint>> {
  const { rows } = await clearArguments(
    insertStatement(plants, 'ON CONFLICT (id) DO NOTHING RETURNING id'),
    (statement) => connection.queryRaw(statement),
  );
  // The adapter returns an integer beyond 2^53 as text.
  return new Set(rows.map(([id]) => BigInt(String(id))));
}

function insertStatement(plants: readonly NewPlant[], ending = ''): SqlQuery {
  const args: unknown[] = [];
  const argTypes: ArgType[] = [];
  for (const { id, name, tag = null } of plants) {
    args.push(id, name, tag);
    argTypes.push(integer, text, text);
  }
  const rows = `(?, ?, ?)${', (?, ?, ?)'.repeat(plants.length - 1)}`;
  return { sql: `INSERT INTO plants (id, name, tag) VALUES ${rows} ${ending}`, args, argTypes };
}

async function findRows(connection: SqlDriverAdapter, ids: readonly bigint[]): Promise<readonly PlantRow[]> {
  const query = {
    sql: `SELECT id, name, tag FROM plants WHERE id IN (?${', ?'.repeat(ids.length - 1)})`,
    args: [...ids],
    argTypes: ids.map(() => integer),
  };
  const { rows } = await clearArguments(query, (statement) => connection.queryRaw(statement));
  return rows.map(toRow);
}

/**
 * Reads as many of the next plants as the limits allow, at least one. The query measures more texts than it returns,
 * which SQLite does without reading them.
 */
async function readPage(
  connection: SqlDriverAdapter,
  after: bigint | undefined,
  { plants, bytes }: PageLimits,
): Promise<readonly StoredPlant[]> {
  const { rows } = await connection.queryRaw({
    sql: `
      WITH next AS (
        SELECT id, octet_length(name) + ifnull(octet_length(tag), 0) AS bytes
        FROM plants ${after === undefined ? '' : 'WHERE id > ?'} ORDER BY id LIMIT ?
      ), page AS (
        SELECT id, row_number() OVER inOrder AS place, sum(bytes) OVER inOrder AS total
        FROM next WINDOW inOrder AS (ORDER BY id)
      )
      SELECT id, name, tag FROM page JOIN plants USING (id) WHERE place = 1 OR total <= ? ORDER BY id`,
    args: [...(after === undefined ? [] : [after]), BigInt(plants), BigInt(bytes)],
    argTypes: [...(after === undefined ? [] : [integer]), integer, integer],
  });
  return rows.map((row) => toPlant(toRow(row)));
}
