import type { ArgType, SqlDriverAdapter, SqlQuery } from '@prisma/driver-adapter-utils';
import {
  isTombstone,
  type PlantStore,
  type StoredRecord,
  stored,
  withoutTombstones,
} from '../../plants/plant-store.js';
import { databaseUnavailable } from '../database.js';
import { clearArguments, eraseOnConflict, integer, type QueryWrapper, readPages, text } from '../queries.js';
import { insertInOrder, resolveInsertOutcomes, toRecord } from '../resolve-insert-outcomes.js';
import { isIdTaken } from './errors.js';
import type { ListRecords } from './list-thread.js';

/** How the store runs its queries. */
export interface SqlitePlantStoreOptions {
  /** Syncs the write-ahead log to disk. */
  readonly syncLog: () => void;
  /** `readDataVersion` before the log was synced last. */
  readonly syncedVersion: unknown;
  /** Runs queries whose results are acknowledged. */
  readonly run: QueryWrapper;
  /** Runs the queries of a read. */
  readonly runRead: QueryWrapper;
  /** Lists what is visible, which may not be durable. */
  readonly list: ListRecords;
  /** Called once plants may have been deleted. */
  readonly onDeleted: () => void;
}

/**
 * Creates the plant store of SQLite. An insert is one statement, and thus one commit, for any number of plants.
 *
 * @param connection a connection of the driver adapter that Prisma's client does not use: an insert must not become
 * part of a transaction of the client
 */
export function createSqlitePlantStore(
  connection: SqlDriverAdapter,
  { syncLog, syncedVersion: lastSynced, run, runRead, list, onDeleted }: SqlitePlantStoreOptions,
): PlantStore {
  let syncedVersion = lastSynced;

  /**
   * Makes durable what was read. Commits of this connection are synced before anybody sees them; the log is synced once more if
   * another one may have changed the file since.
   *
   * @param version of the connection, when it was read
   */
  function confirmDurable(version: unknown): void {
    if (version === syncedVersion) return;
    syncOrThrow(syncLog);
    syncedVersion = version;
  }

  async function find(ids: readonly bigint[]): Promise<readonly StoredRecord[]> {
    const query = {
      sql: `SELECT id, name, tag, added_at, deleted, (SELECT data_version FROM pragma_data_version)
        FROM plants WHERE id IN (?${', ?'.repeat(ids.length - 1)})`,
      args: [...ids],
      argTypes: ids.map(() => integer),
    };
    const { rows } = await clearArguments(query, (statement) => connection.queryRaw(statement));
    if (rows.length > 0) confirmDurable(rows[0]?.[5]);
    return rows.map(toRecord);
  }

  /** Inserts the records whose id is free, and does with the others as the clause says. */
  async function insertUnlessTaken(records: readonly StoredRecord[], onConflict: string) {
    const newIds = await run(() => insertNew(connection, records, onConflict));
    return resolveInsertOutcomes(records, newIds, (ids) => run(() => find(ids)));
  }

  return {
    // Each statement runs by itself, since a retry of one that was carried out would find its own plants.
    async insert(plants) {
      if (plants.some(isTombstone))
        return insertInOrder(plants, (part) => insertUnlessTaken(part, eraseOnConflict)).finally(onDeleted);
      if (plants.length === 0 || (await run(() => insertAll(connection, plants))))
        return plants.map(() => stored);
      return insertUnlessTaken(plants, 'ON CONFLICT (id) DO NOTHING');
    },
    find: (ids) => run(() => find(ids)),
    list: (query, limits) =>
      run(async () => {
        const { plants, last } = await list(query, limits);
        confirmDurable(await readDataVersion(connection));
        return { plants: withoutTombstones(plants), last };
      }),
    read: (after, limits) =>
      readPages(async (last) => {
        const query = {
          order: 'id',
          after: last === undefined ? undefined : { id: last },
          tombstones: true,
        } as const;
        const { plants } = await runRead(() => list(query, { ...limits, matches: limits.plants }));
        return plants;
      }, after),
  };
}

/** A number that differs from the one before if another connection has committed meanwhile. */
export async function readDataVersion(connection: SqlDriverAdapter): Promise<unknown> {
  const { rows } = await connection.queryRaw({ sql: 'PRAGMA data_version', args: [], argTypes: [] });
  return rows[0]?.[0];
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
async function insertAll(connection: SqlDriverAdapter, plants: readonly StoredRecord[]): Promise<boolean> {
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

/** Inserts the records whose id is free, does with the others as the clause says, and returns the ids of changed rows. */
async function insertNew(
  connection: SqlDriverAdapter,
  records: readonly StoredRecord[],
  onConflict: string,
): Promise<Set<bigint>> {
  const { rows } = await clearArguments(insertStatement(records, `${onConflict} RETURNING id`), (statement) =>
    connection.queryRaw(statement),
  );
  // The adapter returns an integer beyond 2^53 as text.
  return new Set(rows.map(([id]) => BigInt(String(id))));
}

/** The time of plants without one is part of the statement: as an argument of each it would cost as much as that of a plant. */
function insertStatement(records: readonly StoredRecord[], ending = ''): SqlQuery {
  const args: unknown[] = [];
  const argTypes: ArgType[] = [];
  const now = Date.now();
  const hasTombstones = records.some(isTombstone);
  const rows = records.map((record) => {
    if (isTombstone(record)) {
      args.push(record.id);
      argTypes.push(integer);
      return "(?,'',NULL,NULL,true)";
    }
    const { id, name, tag = null, addedAt = now } = record;
    args.push(id, name, tag);
    argTypes.push(integer, text, text);
    return hasTombstones ? `(?,?,?,${addedAt},false)` : `(?,?,?,${addedAt})`;
  });
  const columns = `id, name, tag, added_at${hasTombstones ? ', deleted' : ''}`;
  return { sql: `INSERT INTO plants (${columns}) VALUES ${rows} ${ending}`, args, argTypes };
}
