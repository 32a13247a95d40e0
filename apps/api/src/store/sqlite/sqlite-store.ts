import { databaseUnavailable } from '../database.js';
import { type QueryWrapper, readPages } from '../queries.js';
import { withoutTime } from '../resolve-insert-outcomes.js';
import { isTombstone, type Store, stored, withoutTombstones } from '../store.js';
import type { ListRecords } from './list-thread.js';
import type { Snapshot, Statements } from './statements.js';

/** How the store runs its queries. */
export interface SqliteStoreOptions<Resource> {
  /** Syncs the write-ahead log to disk. */
  readonly syncLog: () => void;
  /** `readDataVersion` of the statements before the log was synced last. */
  readonly syncedVersion: unknown;
  /** Runs queries whose results are acknowledged. */
  readonly run: QueryWrapper;
  /** Runs the queries of a read. */
  readonly runRead: QueryWrapper;
  /** Lists what is visible, which may not be durable. */
  readonly list: ListRecords<Resource>;
  /** Called once plants may have been deleted. */
  readonly onDeleted: () => void;
}

/** Creates the store of SQLite. An insert is one transaction, and thus one commit, for any number of plants. */
export function createSqliteStore<Resource>(
  statements: Statements<Resource>,
  { syncLog, syncedVersion: lastSynced, run, runRead, list, onDeleted }: SqliteStoreOptions<Resource>,
): Store<Resource> {
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

  /** Makes durable what a transaction has read. */
  function confirm<Records>({ records, version }: Snapshot<Records>): Records {
    confirmDurable(version);
    return records;
  }

  return {
    async insert(records) {
      const inserted = run(async () => {
        const taken = statements.insert(records);
        return taken && confirm(taken);
      });
      const taken = await (records.some(isTombstone) ? inserted.finally(onDeleted) : inserted);
      if (taken === undefined) return records.map(() => stored);
      return taken.map((existing) =>
        existing === undefined ? stored : { stored: false, existing: withoutTime(existing) },
      );
    },
    find: (ids) => run(async () => confirm(statements.find(ids))),
    list: (query, limits) =>
      run(async () => {
        const { plants, ...listed } = await list(query, limits);
        confirmDurable(statements.readDataVersion());
        return { ...listed, plants: withoutTombstones(plants) };
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
