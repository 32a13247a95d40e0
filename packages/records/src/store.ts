import { INT64_MAX } from '@plant-store/contract';
import type { Column } from '@plant-store/contract/columns';
import type { ListOrder } from './order.js';

/** A record to create, under its id. */
export type New<Fields> = Fields & { readonly id: bigint };

/** A record as it is stored, under its id. */
export type Stored<Fields> = New<Fields> & {
  /** When it was stored, in milliseconds since 1970. Unknown for records of version 1.2 and earlier; an import stores these with `null`. */
  readonly addedAt?: number | null;
  /** The fingerprint of its original create, if it was updated since. */
  readonly original?: string | undefined;
  /** Who creates it, while it is being stored; see `RecordHistory`. */
  readonly addedBy?: string | undefined;
};

/** A record and its authors, if known: the id of an access token, or `subject` and the subject of a JSON Web Token. */
export interface RecordPeople<Fields> {
  readonly record: StoredRecord<Fields>;
  readonly addedBy: string | undefined;
  readonly changedBy: string | undefined;
}

/** What remains of a deleted record: its id, which stays taken. */
export interface Tombstone {
  readonly id: bigint;
  readonly deleted: true;
}

/** The record or tombstone with an id. */
export type StoredRecord<Fields> = Stored<Fields> | Tombstone;

/** Whether a record was deleted, or will be. */
export function isTombstone(record: object): record is Tombstone {
  return 'deleted' in record;
}

/** The records that were not deleted. */
export function withoutTombstones<Fields>(records: readonly StoredRecord<Fields>[]): Stored<Fields>[] {
  return records.filter((record): record is Stored<Fields> => !isTombstone(record));
}

/** The result of a create: the record was stored, or its id is taken by `existing`. */
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
   * @param existing the record or tombstone with the id; `undefined` if the id was never used: then only a tombstone may be stored
   */
  readonly replace: (existing: StoredRecord<Fields> | undefined) => StoredRecord<Fields> | undefined;
}

/** The record or tombstone before a change, and its replacement, if any. */
export interface ChangeOutcome<Fields> {
  readonly before: StoredRecord<Fields> | undefined;
  readonly after: StoredRecord<Fields> | undefined;
}

/**
 * The change that deletes the record with an id. A tombstone replaces it, so that the id stays taken.
 *
 * @param retire whether to also retire an id that was never used
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
  /** The values of which a field must have one, as column values; `null` for no value. */
  readonly equal?: Readonly<Record<string, readonly Column[] | undefined>>;
  /** The text that a searched field must contain, both folded by `foldText`. */
  readonly q?: string | undefined;
  /** When records must have been stored, in milliseconds since 1970. Records without a time match no bound. */
  readonly addedFrom?: number | undefined;
  readonly addedBefore?: number | undefined;
}

/** The filter of a list, its order, and where it begins. */
export interface ListQuery extends ListFilter {
  readonly order: ListOrder;
  /** The record after which to begin. */
  readonly after?: ListPosition | undefined;
}

/** Whether a query may skip records. */
export function isFiltered({ equal = {}, q, addedFrom, addedBefore }: ListFilter): boolean {
  return [...Object.values(equal), q, addedFrom, addedBefore].some((value) => value !== undefined);
}

/** The maximum size of a page, and how long one read may take. Bytes are those of the fields; see `bytesOf`. */
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
  /** The sort key of the record, in a list ordered by a text field; see `sortKeyOf`. */
  readonly key?: string | undefined;
  /** The progress of a search of all records. Only used within one request, never in a cursor. */
  readonly sweep?: Sweep | undefined;
}

/** A search of all records in the order of their ids: the last id examined, if any, and the ids found. */
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
  /** How long the engine took, in milliseconds, without waiting time, if it reports that. */
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
  /** Its place among the replaced states, in increasing order. The current state has none. */
  readonly place?: number | undefined;
  /** Since when, and until when, in milliseconds since 1970. The current state has no end, and a beginning may be unknown. */
  readonly from: number | undefined;
  readonly until: number | undefined;
  /**
   * Who created the record, or updated it to this, if known: the id of an access token, or `subject` and the subject of a JSON Web Token.
   */
  readonly by: string | undefined;
}

/** States of a record, the latest first. */
export interface ListedStates<Fields> {
  readonly states: readonly RecordState<Fields>[];
  /** The place of the state with which the next page begins, if there are more. */
  readonly next: number | undefined;
}

/** A page of the first states: as many as the limits allow, at least one. */
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

/** States that were replaced before this time are not shown, in milliseconds since 1970. */
export const keptSince = (now: number, historyDays: number): number =>
  historyDays === 0
    ? Number.MAX_SAFE_INTEGER
    : Math.max(Number.MIN_SAFE_INTEGER, now - historyDays * 86_400_000);

/**
 * The store of one resource, as the operations of one caller use it: on a database, behind a queue, or in memory. Its members are
 * properties, because methods would accept a store of other records.
 */
export interface Store<Fields> {
  /** Stores a record if its id was never used. A record without a time gets the current one. */
  readonly create: (record: Stored<Fields>) => Promise<CreateOutcome<Fields>>;
  readonly change: (change: Change<Fields>) => Promise<ChangeOutcome<Fields>>;
  readonly find: (id: bigint) => Promise<StoredRecord<Fields> | undefined>;
  /**
   * Lists the records that match and were not deleted, in an order, up to the limits. A list that takes too long ends early: then its
   * `last` is not `undefined`, and it may have few records, or none.
   */
  readonly list: (query: ListQuery, limits: ListLimits) => Promise<Listed<Fields>>;
  /** Counts the records that match. */
  readonly countAll: (filter: ListFilter) => Promise<Total>;
  /**
   * Counts the records with each value of a text field, for up to `maxValues` values after a given one. Does not count records without a
   * value.
   */
  readonly countValues: (
    field: string,
    after: string | undefined,
    maxValues: number,
  ) => Promise<CountedValues>;
  /**
   * Lists the last change of each record after a position, in a stable order. A record that changes again moves to the end.
   *
   * @param after `undefined` for all
   * @throws {ServiceError} `cursor_expired` for a position that does not belong to the current store, `changes_unsupported`
   */
  readonly listChanges: (
    after: ChangePosition | undefined,
    limits: ListLimits,
  ) => Promise<ListedChanges<Fields>>;
  /** The position of the last change that `listChanges` would return now, or `beforeNumbers`. */
  readonly lastChange: () => Promise<ChangePosition>;
  /**
   * Lists the states of a record, latest first: as many as the limits allow, at least one if there is one. Each change of the fields adds a
   * state. Replaced states are kept for a limited time, and a delete erases them all.
   *
   * @param start the place of the first state to list; `undefined` for the current one
   * @returns `undefined` if no record has the id
   */
  readonly listStates: (
    id: bigint,
    start: number | undefined,
    limits: ListLimits,
  ) => Promise<ListedStates<Fields> | undefined>;
}
