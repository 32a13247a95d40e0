import { INT64_MAX } from '@plant-store/contract';
import type { Column } from '@plant-store/contract/columns';
import type { ListOrder } from './order.js';

/** A record to create, under its id. */
export type New<Fields> = Fields & { readonly id: bigint };

/** A record as it is stored, under its id. */
export type Stored<Fields> = New<Fields> & {
  /**
   * When it was stored, in milliseconds since 1970. It is not known for records of version 1.2 and earlier; an import stores such a
   * record with `null`.
   */
  readonly addedAt?: number | null;
  /** The fingerprint of what it was created as, if it was updated since. */
  readonly original?: string | undefined;
  /** Who creates it, while it is being stored; see `RecordHistory`. */
  readonly addedBy?: string | undefined;
};

/** A record, and who has made it what it is: the id of an access token, or `subject` and that of a JSON Web Token, where known. */
export interface RecordPeople<Fields> {
  readonly record: StoredRecord<Fields>;
  readonly addedBy: string | undefined;
  readonly changedBy: string | undefined;
}

/** What is left of a deleted record: its id, which stays taken. */
export interface Tombstone {
  readonly id: bigint;
  readonly deleted: true;
}

/** What a store has under an id. */
export type StoredRecord<Fields> = Stored<Fields> | Tombstone;

/** Whether a record was deleted, or will be. */
export function isTombstone(record: object): record is Tombstone {
  return 'deleted' in record;
}

/** The records that were not deleted. */
export function withoutTombstones<Fields>(records: readonly StoredRecord<Fields>[]): Stored<Fields>[] {
  return records.filter((record): record is Stored<Fields> => !isTombstone(record));
}

/** The result of a create: the record was stored now, or its id is taken by what exists. */
export type CreateOutcome<Fields> =
  | { readonly stored: true; readonly addedAt: number | null }
  | { readonly stored: false; readonly existing: StoredRecord<Fields> };

/** A change of the record with an id, which depends on that record. */
export interface Change<Fields> {
  readonly id: bigint;
  /** The size of the fields that it may store, in bytes; see `bytesOf`. */
  readonly bytes: number;
  /** Who changes it; see `RecordHistory`. */
  readonly by?: string | undefined;
  /**
   * Returns the replacement, or `undefined` to change nothing. A store calls it again if another change comes first.
   *
   * @param existing what has the id; `undefined` if nothing ever had it: then only a tombstone may replace it
   */
  readonly replace: (existing: StoredRecord<Fields> | undefined) => StoredRecord<Fields> | undefined;
}

/** What had the id before a change, and what replaced it, if anything did. */
export interface ChangeOutcome<Fields> {
  readonly before: StoredRecord<Fields> | undefined;
  readonly after: StoredRecord<Fields> | undefined;
}

/**
 * The change that deletes the record with an id. A tombstone replaces it, so that the id stays taken.
 *
 * @param retire whether an id that nothing ever had is taken, too
 */
export function removalOf<Fields>(id: bigint, retire = false): Change<Fields> {
  return {
    id,
    bytes: 0,
    replace(existing) {
      const isToRemove = existing === undefined ? retire : !isTombstone(existing);
      return isToRemove ? { id, deleted: true } : undefined;
    },
  };
}

/** Which records a list has. */
export interface ListFilter {
  /** The values of which a field must have one, as its column has them: `null` for none. */
  readonly equal?: Readonly<Record<string, readonly Column[] | undefined>>;
  /** The text that a searched field must contain, both folded by `foldText`. */
  readonly q?: string | undefined;
  /** When records must have been stored, in milliseconds since 1970. Records without a time match no bound. */
  readonly addedFrom?: number | undefined;
  readonly addedBefore?: number | undefined;
}

/** Which records a list has, in which order, and where it begins. */
export interface ListQuery extends ListFilter {
  readonly order: ListOrder;
  /** The record after which to begin. */
  readonly after?: ListPosition | undefined;
}

/** Whether a query may skip records. */
export function isFiltered({ equal = {}, q, addedFrom, addedBefore }: ListFilter): boolean {
  return [...Object.values(equal), q, addedFrom, addedBefore].some((value) => value !== undefined);
}

/** The most that a page may have, and how long one read may take. Bytes are those of the fields; see `bytesOf`. */
export interface ListLimits {
  readonly matches: number;
  readonly bytes: number;
  /** In milliseconds. Default: 100. */
  readonly durationMs?: number;
}

/** The position of a record in a list. */
export interface ListPosition {
  readonly id: bigint;
  readonly addedAt?: number | undefined;
  /** What the record is sorted by, in a list by a text field; see `sortKeyOf`. */
  readonly key?: string | undefined;
  /** How far a search of all records has come. It belongs to one request, and no cursor has it. */
  readonly sweep?: Sweep | undefined;
}

/** A search of all records in the order of their ids: the last id that it has examined, if any, and those that it has found. */
export interface Sweep {
  readonly after: bigint | undefined;
  readonly found: bigint[];
}

/** The records of a list that match, in order. */
export interface Listed<Fields> {
  readonly records: readonly Stored<Fields>[];
  /** The last record that was examined; `undefined` if there are no more. */
  readonly last: ListPosition | undefined;
  /** Whether the list ended early, because it took long. */
  readonly isLate?: boolean;
  /** How long the engine took, in milliseconds, if it reports that without the time that the list waited for others. */
  readonly readMs?: number | undefined;
}

/** How many records match. */
export interface Total {
  readonly count: number;
  /** Whether it is an estimate. */
  readonly isEstimate: boolean;
  /** As in `Listed`. */
  readonly readMs?: number | undefined;
}

/** How many records have each value, in the order of the values. */
export interface CountedValues {
  readonly counts: readonly (readonly [value: string, records: number])[];
  /** Whether other values follow. */
  readonly hasMore: boolean;
  /** As in `Listed`. */
  readonly readMs?: number | undefined;
}

/** The position of a record's last change. Records from before changes had numbers come first, in the order of their ids. */
export interface ChangePosition {
  /** The generation of the store in which the position is valid: 8 hexadecimal digits, or empty in a store that accepts cursors of version 1.4. */
  readonly generation: string;
  readonly number?: number | undefined;
  readonly id: bigint;
}

/** The position after all records without a number, and before all others. */
export const beforeNumbers = { number: 0, id: INT64_MAX } as const;

/** The last change of a record, and the record since then. */
export interface RecordChange<Fields> {
  readonly record: StoredRecord<Fields>;
  /** When it happened, in milliseconds since 1970, if that is known. */
  readonly at: number | undefined;
}

/** Changes in their order. */
export interface ListedChanges<Fields> {
  readonly changes: readonly RecordChange<Fields>[];
  /** The position of the last record that was examined, or the position where the list began. */
  readonly last: ChangePosition;
  /** Whether there may be more now. */
  readonly hasMore: boolean;
  readonly readMs?: number | undefined;
}

/** A state that a record has or had, since its create or an update. */
export interface RecordState<Fields> {
  readonly fields: Fields;
  /** Its place among the replaced states, which increases. The current state has none. */
  readonly place?: number | undefined;
  /** Since when, and until when, in milliseconds since 1970. The current state has no end, and a beginning may be unknown. */
  readonly from: number | undefined;
  readonly until: number | undefined;
  /** Who created the record, or updated it to this: the id of an access token, or `subject` and that of a JSON Web Token, where known. */
  readonly by: string | undefined;
}

/** States of a record, the latest first. */
export interface ListedStates<Fields> {
  readonly states: readonly RecordState<Fields>[];
  /** The place of the state with which the next page begins, if there are more. */
  readonly next: number | undefined;
}

/** The page that begins with the first of some states: as many as the limits allow, at least one. */
export function pageOfStates<Fields>(
  states: Iterable<RecordState<Fields>>,
  bytesOf: (fields: Fields) => number,
  { matches, bytes: maxBytes }: ListLimits,
): ListedStates<Fields> {
  const page: RecordState<Fields>[] = [];
  let bytes = 0;
  for (const state of states) {
    bytes += bytesOf(state.fields);
    if (page.length > 0 && (page.length === matches || bytes > maxBytes))
      return { states: page, next: state.place };
    page.push(state);
  }
  return { states: page, next: undefined };
}

/** Since when states must have been replaced to be shown, in milliseconds since 1970, if they are kept for so many days. */
export const keptSince = (now: number, historyDays: number): number =>
  historyDays === 0
    ? Number.MAX_SAFE_INTEGER
    : Math.max(Number.MIN_SAFE_INTEGER, now - historyDays * 86_400_000);

/**
 * The store of one resource, as the operations of one caller use it: on a database, behind a queue, or in memory. Its members are
 * properties, because methods would accept a store of other records.
 */
export interface Store<Fields> {
  /** Stores a record if nothing ever had its id. A record without a time gets the time of now. */
  readonly create: (record: Stored<Fields>) => Promise<CreateOutcome<Fields>>;
  readonly change: (change: Change<Fields>) => Promise<ChangeOutcome<Fields>>;
  readonly find: (id: bigint) => Promise<StoredRecord<Fields> | undefined>;
  /**
   * Lists the records that match and were not deleted, in an order, up to the limits. A list that takes longer ends early: its `last`
   * is not `undefined` then, and it may have few records, or none.
   */
  readonly list: (query: ListQuery, limits: ListLimits) => Promise<Listed<Fields>>;
  /** Counts the records that match. */
  readonly countAll: (filter: ListFilter) => Promise<Total>;
  /**
   * Counts the records that have each value of a text field, of the values after one, up to `maxValues` of them. It does not count
   * records without a value.
   */
  readonly countValues: (
    field: string,
    after: string | undefined,
    maxValues: number,
  ) => Promise<CountedValues>;
  /**
   * Lists the last change of each record after a position, in one order that never changes. A record that changes again moves to the
   * end.
   *
   * @param after `undefined` for all
   * @throws {ServiceError} `cursor_expired` for a position that is not of this store as it is, `changes_unsupported`
   */
  readonly listChanges: (
    after: ChangePosition | undefined,
    limits: ListLimits,
  ) => Promise<ListedChanges<Fields>>;
  /** The position of the last change that `listChanges` would return now, or `beforeNumbers`. */
  readonly lastChange: () => Promise<ChangePosition>;
  /**
   * Lists the states of a record, the latest first: as many as the limits allow, at least one if there is one. A state is what a change
   * of the fields replaces, as long as it is kept. A delete erases all states.
   *
   * @param start the place of the state with which to begin; `undefined` for the current one
   * @returns `undefined` if no record has the id
   */
  readonly listStates: (
    id: bigint,
    start: number | undefined,
    limits: ListLimits,
  ) => Promise<ListedStates<Fields> | undefined>;
}
