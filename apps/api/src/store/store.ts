import { INT64_MAX } from '@plant-store/contract';
import { messages } from '@plant-store/contract/messages';
import { ServiceError } from '../errors/service-error.js';

/** A resource under its id, as it is created. */
export type New<Resource> = Resource & { readonly id: bigint };

/** A resource as it is stored, under its id. */
export type Stored<Resource> = New<Resource> & {
  /**
   * When it was stored, in milliseconds since 1970; not known of plants from before this was kept, which are inserted elsewhere
   * with `null`.
   */
  readonly addedAt?: number | null;
  /** Identifies what it was created as, if it was changed since. */
  readonly original?: string | undefined;
  /** Who creates it, of one that is to be stored; see `RecordHistory`. */
  readonly addedBy?: string | undefined;
};

/** What is left of a resource that was deleted: its id, which stays taken for good. */
export interface Tombstone {
  readonly id: bigint;
  readonly deleted: true;
}

/** What a store has under an id. */
export type StoredRecord<Resource> = Stored<Resource> | Tombstone;

/** Whether a resource was deleted, or is to be. */
export function isTombstone(record: object): record is Tombstone {
  return 'deleted' in record;
}

/** What was not deleted. */
export function withoutTombstones<Resource>(records: readonly StoredRecord<Resource>[]): Stored<Resource>[] {
  return records.filter((record): record is Stored<Resource> => !isTombstone(record));
}

/** What became of a create: the record was stored now, or not, because its id is taken by what exists. */
export type CreateOutcome<Resource> =
  | { readonly stored: true; readonly addedAt: number | null }
  | { readonly stored: false; readonly existing: StoredRecord<Resource> };

/** A change of what has an id, which depends on what that is. */
export interface Change<Resource> {
  readonly id: bigint;
  /** The size of the texts that it may store, in bytes in UTF-8. */
  readonly bytes: number;
  /** Who changes it; see `RecordHistory`. */
  readonly by?: string | undefined;
  /**
   * What is to have the id instead; `undefined` to change nothing. It is called again if something else has changed that meanwhile.
   *
   * @param existing what has the id; `undefined` if nothing ever had it, whose place only a tombstone may take
   */
  replace(existing: StoredRecord<Resource> | undefined): StoredRecord<Resource> | undefined;
}

/** What had the id of a change before, and what took its place, if anything did. */
export interface ChangeOutcome<Resource> {
  readonly before: StoredRecord<Resource> | undefined;
  readonly after: StoredRecord<Resource> | undefined;
}

/**
 * The change that removes what has an id: a tombstone takes its place, so that the id stays taken.
 *
 * @param retire whether an id that nothing ever had is taken, too
 */
export function removalOf<Resource>(id: bigint, retire = false): Change<Resource> {
  return {
    id,
    bytes: 0,
    replace(existing) {
      const isToRemove = existing === undefined ? retire : !isTombstone(existing);
      return isToRemove ? { id, deleted: true } : undefined;
    },
  };
}

/** When a record was changed, which is told apart from when it was created; `null` if it was not changed since. */
export function changedAtOf(record: StoredRecord<unknown>, now: number): number | null {
  return isTombstone(record) || record.original !== undefined ? now : null;
}

/**
 * Requires that a position is one of the store as it is now. One of another generation is not, and neither is one after all that
 * changes can have: the store was restored by other tools.
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
 * SQL for the generation that positions of changes have: none while a store that has had an earlier version accepts its cursors, which
 * have none. So instances of both versions may answer a follower by turns.
 */
export const generationSql = `(SELECT CASE WHEN accepts_old_cursors THEN '' ELSE generation END FROM store)`;

/** The outcome of a record, unless it was refused. @throws {ServiceError} with which it was */
export function orThrow<Outcome>(outcome: Outcome | ServiceError): Outcome {
  if (outcome instanceof ServiceError) throw outcome;
  return outcome;
}

/** A store of one resource, on any database engine. Everything it returns is on disk. */
export interface Store<Resource> {
  /**
   * Stores many records in one commit, those whose id was never taken.
   *
   * @param records any number of them. Each has the outcome that a call of its own would have had, in their order. One without a
   * time gets that of the service.
   * @returns one outcome per record, in the same order; of a distributed database possibly an error with which one alone was refused
   * @throws {ServiceError} `database_unavailable` when the engine does not answer. The records may or may not have been
   * stored; retrying is safe.
   */
  create(records: readonly Stored<Resource>[]): Promise<readonly (CreateOutcome<Resource> | ServiceError)[]>;
  /**
   * Changes what has ids, in one commit. Of several changes of one id each gets what the one before it has made.
   *
   * @returns one outcome per change, in the same order; throws and returns errors as `create` does
   */
  change(changes: readonly Change<Resource>[]): Promise<readonly (ChangeOutcome<Resource> | ServiceError)[]>;
  /**
   * Finds what has these ids, in any order.
   *
   * @throws {ServiceError} `database_unavailable` when the engine does not answer
   */
  find(ids: readonly bigint[]): Promise<readonly StoredRecord<Resource>[]>;
  /** As `find`, with who has made each what it is. */
  findHistory(ids: readonly bigint[]): Promise<readonly RecordHistory<Resource>[]>;
  /**
   * Examines records in an order, as many as the limits allow, at least one, and returns those that match and were not removed.
   *
   * @throws {ServiceError} `database_unavailable` when the engine does not answer, `overloaded` when too many lists wait
   */
  list(query: ListQuery, limits: ListLimits): Promise<Listed<Resource>>;
  /**
   * Counts the records that have each value of a column, of those after an id that it examines, in the order of their ids, as many
   * as the limits allow, at least one. Those without a value are not counted.
   *
   * @throws {ServiceError} as `list` does
   */
  countValues(column: string, after: bigint | undefined, limits: CountLimits): Promise<CountedValues>;
  /**
   * Lists the last change of each record, in one order that never changes: those that come after a position, as many as the limits
   * allow. A record that changes again is at the end from then on.
   *
   * @param after the position after which to begin; `undefined` for all
   * @throws {ServiceError} as `list` does, `cursor_expired` for a position that is not of this store as it is, or
   *   `changes_unsupported`
   */
  listChanges(after: ChangePosition | undefined, limits: ListLimits): Promise<ListedChanges<Resource>>;
  /** The position of the last change that `listChanges` would return now, or that before all that have a number. */
  lastChange(): Promise<ChangePosition>;
  /**
   * Reads all records after an id, page by page, in the order of their ids: every one that was stored before it began, and
   * possibly some that were stored since. A plant that is deleted meanwhile may be returned as either. An error ends it; it may
   * be called again with the last id that it returned.
   *
   * @param after the id after which to begin; `undefined` for all plants
   * @param limits the limits of each page. No page is empty, so a plant that exceeds them is a page of its own.
   * @throws {ServiceError} `database_unavailable` when the engine does not answer, from the iterator
   */
  read(after: bigint | undefined, limits: PageLimits): AsyncIterable<readonly StoredRecord<Resource>[]>;
}

/** Which plants to examine, and which of these match. */
export interface ListQuery {
  /** By `id` ascending; the `newest` first, then descending by id; or those without a time, descending by id. */
  readonly order: 'id' | 'newest' | 'untimed';
  /** The plant after which to begin. */
  readonly after?: ListPosition | undefined;
  /** What the columns of these names must be equal to. */
  readonly equal?: Readonly<Record<string, string | undefined>>;
  /** What a column that is searched must have as a part, both folded by `foldText`. */
  readonly q?: string | undefined;
  /** When records must have been stored, in milliseconds since 1970; those without a time match no bound. */
  readonly addedFrom?: number | undefined;
  readonly addedBefore?: number | undefined;
}

/** Whether a list has only some of the plants. */
export function isFiltered({ equal = {}, q, addedFrom, addedBefore }: ListQuery): boolean {
  return [...Object.values(equal), q, addedFrom, addedBefore].some((value) => value !== undefined);
}

/** The most that a list may have. Bytes are those of the texts of all plants that it examines, in UTF-8. */
export interface ListLimits {
  readonly matches: number;
  readonly plants: number;
  readonly bytes: number;
  /** For how long plants are examined, in milliseconds, where the engine looks at the time; by default a tenth of a second. */
  readonly durationMs?: number;
}

/** What a count may examine. */
export type CountLimits = Omit<ListLimits, 'matches'>;

/** How many of the records that were examined have each value. */
export interface CountedValues {
  readonly counts: readonly (readonly [value: string, records: number])[];
  /** The last record that was examined; `undefined` if there are no more. */
  readonly last: bigint | undefined;
  /** As in `Listed`. */
  readonly readMs?: number | undefined;
}

/** A record, and who has made it what it is: the id of an access token, or `subject` and that of a JSON Web Token, where known. */
export interface RecordHistory<Resource> {
  readonly record: StoredRecord<Resource>;
  /** When it was created, in milliseconds since 1970, whether it was removed since or not. */
  readonly addedAt: number | undefined;
  readonly addedBy: string | undefined;
  /** When it was changed or removed last. */
  readonly changedAt: number | undefined;
  readonly changedBy: string | undefined;
}

/** The place of a plant in a list. */
export interface ListPosition {
  readonly id: bigint;
  readonly addedAt?: number | undefined;
}

/** The plants of a list that match, in order. */
export interface Listed<Resource> {
  readonly plants: readonly Stored<Resource>[];
  /** The last plant that was examined; `undefined` if there are no more. */
  readonly last: ListPosition | undefined;
  /** How long the engine took, in milliseconds, if it tells that apart from what waits for others. */
  readonly readMs?: number | undefined;
}

/** Where the last change of a record is: first come, by their ids, those that have no number since they are older than these. */
export interface ChangePosition {
  /** The generation of the store in which it has this position; see `generationSql`. */
  readonly generation: string;
  readonly number?: number | undefined;
  readonly id: bigint;
}

/** After all that have no number, before all others. */
export const beforeNumbers = { number: 0, id: INT64_MAX } as const;

/** The last change of a record, and what the record is since. */
export interface RecordChange<Resource> {
  readonly record: StoredRecord<Resource>;
  /** When it was, in milliseconds since 1970, if that is known. */
  readonly at: number | undefined;
}

/** Changes in their order. */
export interface ListedChanges<Resource> {
  readonly changes: readonly RecordChange<Resource>[];
  /** Where to go on: the position of the last record that was examined, or where it began. */
  readonly last: ChangePosition;
  /** Whether there may be more now. */
  readonly hasMore: boolean;
  readonly readMs?: number | undefined;
}

/** The most that a page of plants may hold. Bytes are those of the texts, in UTF-8. */
export interface PageLimits {
  readonly plants: number;
  readonly bytes: number;
}
