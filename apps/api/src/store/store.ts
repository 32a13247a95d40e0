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
 * Requires that a position belongs to the current store. A position of another generation, or after the last change, does not: the store
 * was restored with other tools.
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
 * SQL for the generation in positions of changes. It is empty while a store from an earlier version still accepts that version's cursors,
 * which have no generation. So instances of both versions can serve the same follower.
 */
export const generationSql = `(SELECT CASE WHEN accepts_old_cursors THEN '' ELSE generation END FROM store)`;

/** A record to create, or a change of one, of the resource with a name. */
export type Write<Fields = object> =
  | { readonly resource: string; readonly record: Stored<Fields>; readonly change?: undefined }
  | { readonly resource: string; readonly change: Change<Fields>; readonly record?: undefined };

export type WriteOutcome<Fields = object> = CreateOutcome<Fields> | ChangeOutcome<Fields>;

/** The functions that operations call without the queue. */
type Lists = 'list' | 'countAll' | 'countValues' | 'listChanges' | 'lastChange' | 'listStates';

/**
 * A store of one resource, on any database engine. Everything it returns is on disk. Each function throws a `ServiceError`:
 * `database_unavailable` when the engine does not answer, and a list `overloaded` when too many wait.
 */
export interface RecordStore<Fields = object> extends Pick<Store<Fields>, Lists> {
  /**
   * Stores those of the records whose id was never taken, in one commit.
   *
   * @param records any number of records. Each has the same outcome as if stored by a separate call, in order. A record without a time gets
   * the current one.
   * @returns one outcome per record, in the same order. After `database_unavailable`, the records may or may not have been stored; retrying
   * is safe.
   */
  create(records: readonly Stored<Fields>[]): Promise<readonly CreateOutcome<Fields>[]>;
  /**
   * Changes records by id, in one commit. If Citus distributes the table, each change has its own commit. If several changes have the same id,
   * each gets the result of the previous one.
   *
   * @returns one outcome per change, in the same order
   */
  change(changes: readonly Change<Fields>[]): Promise<readonly ChangeOutcome<Fields>[]>;
  /** Finds the records and tombstones with these ids, in any order. */
  find(ids: readonly bigint[]): Promise<readonly StoredRecord<Fields>[]>;
  /** As `find`, with the authors of each record. */
  findHistory(ids: readonly bigint[]): Promise<readonly RecordHistory<Fields>[]>;
  /**
   * Removes some states that were replaced longer ago than they are kept, the oldest first.
   *
   * @returns whether there may be more
   */
  removeOldStates(): Promise<boolean>;
  /**
   * Reads all records after an id, page by page, in the order of their ids: every record that was stored before it began, and possibly some
   * that were stored since. A record that is deleted during the read may be returned as a record or a tombstone. An error ends the read;
   * call it again with the last id that it returned.
   *
   * @param limits the limits of each page. No page is empty, so a record that exceeds them is returned on a separate page.
   * @throws {ServiceError} `database_unavailable` when the engine does not answer, from the iterator
   */
  read(after: bigint | undefined, limits: PageLimits): AsyncIterable<readonly StoredRecord<Fields>[]>;
}

/** A record, its authors, and times in milliseconds since 1970, if known. */
export interface RecordHistory<Fields> extends RecordPeople<Fields> {
  /** When it was created, even if it was removed since. */
  readonly addedAt: number | undefined;
  /** When it was last changed or removed. */
  readonly changedAt: number | undefined;
}

/** How many states are checked for their age at a time. */
export const statesTogether = 256;

/** How much a page may hold. Bytes count the fields of records; see `bytesOf`. */
export interface PageLimits {
  readonly records: number;
  readonly bytes: number;
}
