import { messages } from '@plant-store/contract/messages';
import {
  type Change,
  type ChangeOutcome,
  type ChangePosition,
  type CountedValues,
  type CreateOutcome,
  isTombstone,
  type Listed,
  type ListedChanges,
  type ListedStates,
  type ListFilter,
  type ListLimits,
  type ListQuery,
  ServiceError,
  type Stored,
  type StoredRecord,
  type Total,
} from '@plant-store/records';

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

/** A record to create, or a change of one, of the resource with a name. */
export type Write<Fields = object> =
  | { readonly resource: string; readonly record: Stored<Fields>; readonly change?: undefined }
  | { readonly resource: string; readonly change: Change<Fields>; readonly record?: undefined };

/** What became of a write: of a distributed database possibly an error with which only this one was refused. */
export type WriteOutcome<Fields = object> = CreateOutcome<Fields> | ChangeOutcome<Fields> | ServiceError;

/** The creates of each resource, then its changes: parts of writes that a store takes by one call. */
export function splitWrites<One extends Write>(writes: readonly One[]): readonly (readonly One[])[] {
  const [first] = writes;
  if (first === undefined) return [];
  const isAlike = ({ resource, change }: One) =>
    resource === first.resource && (change === undefined) === (first.change === undefined);
  if (writes.every(isAlike)) return [writes];
  const [creates, changes] = [writes.filter(({ change }) => !change), writes.filter(({ change }) => change)];
  return [creates, changes].flatMap((some) => [...Map.groupBy(some, ({ resource }) => resource).values()]);
}

/** A store of one resource, on any database engine. Everything it returns is on disk. */
export interface RecordStore<Fields = object> {
  /**
   * Stores many records in one commit, those whose id was never taken.
   *
   * @param records any number of them. Each has the outcome that a call of its own would have had, in their order. One without a
   * time gets that of the service.
   * @returns one outcome per record, in the same order; of a distributed database possibly an error with which one alone was refused
   * @throws {ServiceError} `database_unavailable` when the engine does not answer. The records may or may not have been
   * stored; retrying is safe.
   */
  create(records: readonly Stored<Fields>[]): Promise<readonly (CreateOutcome<Fields> | ServiceError)[]>;
  /**
   * Changes what has ids, in one commit. Of several changes of one id each gets what the one before it has made.
   *
   * @returns one outcome per change, in the same order; throws and returns errors as `create` does
   */
  change(changes: readonly Change<Fields>[]): Promise<readonly (ChangeOutcome<Fields> | ServiceError)[]>;
  /**
   * Finds what has these ids, in any order.
   *
   * @throws {ServiceError} `database_unavailable` when the engine does not answer
   */
  find(ids: readonly bigint[]): Promise<readonly StoredRecord<Fields>[]>;
  /** As `find`, with who has made each what it is. */
  findHistory(ids: readonly bigint[]): Promise<readonly RecordHistory<Fields>[]>;
  /**
   * Lists records as `Store.list` does.
   *
   * @throws {ServiceError} `database_unavailable` when the engine does not answer, `overloaded` when too many lists wait
   */
  list(query: ListQuery, limits: ListLimits): Promise<Listed<Fields>>;
  /**
   * Counts the records that match.
   *
   * @throws {ServiceError} as `list` does
   */
  countAll(filter: ListFilter): Promise<Total>;
  /**
   * Counts the records that have each value of a text field as `Store.countValues` does.
   *
   * @throws {ServiceError} as `list` does
   */
  countValues(field: string, after: string | undefined, maxValues: number): Promise<CountedValues>;
  /**
   * Lists the last change of each record, in one order that never changes: those that come after a position, as many as the limits
   * allow. A record that changes again is at the end from then on.
   *
   * @param after the position after which to begin; `undefined` for all
   * @throws {ServiceError} as `list` does, `cursor_expired` for a position that is not of this store as it is, or
   *   `changes_unsupported`
   */
  listChanges(after: ChangePosition | undefined, limits: ListLimits): Promise<ListedChanges<Fields>>;
  /** The position of the last change that `listChanges` would return now, or that before all that have a number. */
  lastChange(): Promise<ChangePosition>;
  /** Lists the states of a record as `Store.listStates` does; throws as `find` does. */
  listStates(
    id: bigint,
    start: number | undefined,
    limits: ListLimits,
  ): Promise<ListedStates<Fields> | undefined>;
  /**
   * Removes some states that were replaced longer ago than they are kept, the oldest first.
   *
   * @returns whether there may be more; throws as `find` does
   */
  removeOldStates(): Promise<boolean>;
  /**
   * Reads all records after an id, page by page, in the order of their ids: every one that was stored before it began, and
   * possibly some that were stored since. A record that is deleted during the read may be returned as either. An error ends it; it may
   * be called again with the last id that it returned.
   *
   * @param after the id after which to begin; `undefined` for all records
   * @param limits the limits of each page. No page is empty, so a record that exceeds them is a page of its own.
   * @throws {ServiceError} `database_unavailable` when the engine does not answer, from the iterator
   */
  read(after: bigint | undefined, limits: PageLimits): AsyncIterable<readonly StoredRecord<Fields>[]>;
}

/** A record, and who has made it what it is: the id of an access token, or `subject` and that of a JSON Web Token, where known. */
export interface RecordHistory<Fields> {
  readonly record: StoredRecord<Fields>;
  /** When it was created, in milliseconds since 1970, whether it was removed since or not. */
  readonly addedAt: number | undefined;
  readonly addedBy: string | undefined;
  /** When it was changed or removed last. */
  readonly changedAt: number | undefined;
  readonly changedBy: string | undefined;
}

/** How many states are examined at a time for their age. */
export const statesTogether = 256;

/** The most that a page may hold. Bytes are those of the fields; see `bytesOf`. */
export interface PageLimits {
  readonly records: number;
  readonly bytes: number;
}
