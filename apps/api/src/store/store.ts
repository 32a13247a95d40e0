import { messages } from '@plant-store/contract/messages';
import {
  type Change,
  type ChangeOutcome,
  type ChangePosition,
  type CreateOutcome,
  type RecordPeople,
  ServiceError,
  type Store,
  type Stored,
  type StoredRecord,
} from '@plant-store/records';

/**
 * Rejects a position that does not belong to the current store. A different generation means that cursors were invalidated. A number after
 * the last change means that the store was restored with other tools.
 *
 * @throws {ServiceError} `cursor_expired`
 */
export function requireCurrent(
  position: ChangePosition | undefined,
  generation: string,
  lastNumber: number,
): void {
  if (position === undefined) return;
  if (position.generation === generation && (position.number ?? 0) <= lastNumber) return;
  throw new ServiceError('cursor_expired', messages.cursorExpired);
}

/**
 * SQL for the generation in change positions. The result is empty while the store still accepts cursors from version 1.4, which have no
 * generation, so that instances of both versions can serve the same follower.
 */
export const generationSql = `(SELECT CASE WHEN accepts_old_cursors THEN '' ELSE generation END FROM store)`;

/** A record to create or a change to make, with the name of its resource. */
export type Write<Fields = object> =
  | { readonly resource: string; readonly record: Stored<Fields>; readonly change?: undefined }
  | { readonly resource: string; readonly change: Change<Fields>; readonly record?: undefined };

export type WriteOutcome<Fields = object> = CreateOutcome<Fields> | ChangeOutcome<Fields>;

/** The methods that operations call directly, without the commit queue. */
type UnqueuedMethods = 'list' | 'countAll' | 'countValues' | 'listChanges' | 'lastChange' | 'listStates';

/**
 * The store of one resource, on any database engine. All returned data is already on disk. Every method throws a `ServiceError` with
 * `database_unavailable` if the engine does not respond.
 */
export interface RecordStore<Fields = object> extends Pick<Store<Fields>, UnqueuedMethods> {
  /**
   * Stores the records whose ID was never used, in one commit.
   *
   * @param records any number of records. Each has the same outcome as in a separate call, in order. A record without a time gets the
   * current one.
   * @returns one outcome per record, in the same order. After `database_unavailable`, it is unknown whether the records were stored;
   * retrying is safe.
   */
  create(records: readonly Stored<Fields>[]): Promise<readonly CreateOutcome<Fields>[]>;
  /**
   * Changes records by ID, in one commit. If Citus distributes the table, each change has its own commit. If several changes have the same
   * ID, each applies to the result of the previous one.
   *
   * @returns one outcome per change, in the same order
   */
  change(changes: readonly Change<Fields>[]): Promise<readonly ChangeOutcome<Fields>[]>;
  /** Finds the records and tombstones with these IDs, in any order. */
  find(ids: readonly bigint[]): Promise<readonly StoredRecord<Fields>[]>;
  /** Finds records as `find` does, with their authors and times. */
  findHistory(ids: readonly bigint[]): Promise<readonly RecordHistory<Fields>[]>;
  /**
   * Removes a batch of replaced states that are older than the retention period, the oldest first.
   *
   * @returns whether there may be more
   */
  removeOldStates(): Promise<boolean>;
  /**
   * Reads all records after an ID, page by page, in the order of their IDs. Includes every record that was stored before the read began,
   * and possibly some that were stored since. A record that is deleted during the read is returned as a record or as a tombstone. After an
   * error, call the method again with the last ID that it returned.
   *
   * @param limits the limits of each page. No page is empty, so a record that exceeds them is returned on a separate page.
   * @throws {ServiceError} `database_unavailable` from the iterator, if the engine does not respond
   */
  read(after: bigint | undefined, limits: PageLimits): AsyncIterable<readonly StoredRecord<Fields>[]>;
}

/** A record, its authors, and times in milliseconds since 1970, if known. */
export interface RecordHistory<Fields> extends RecordPeople<Fields> {
  /** When the record was created, even if it was deleted since. */
  readonly addedAt: number | undefined;
  /** When the record was last changed or deleted. */
  readonly changedAt: number | undefined;
}

/** How many states one cleanup statement examines. */
export const statesPerCleanup = 256;

/** The limits of a page: the number of records, and the bytes of their fields (see `bytesOf`). */
export interface PageLimits {
  readonly records: number;
  readonly bytes: number;
}
