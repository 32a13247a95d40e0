import { INT64_MAX } from '@plant-store/contract';
import type { Column } from '@plant-store/contract/columns';
import type { ListOrder } from './order.js';

export type New<Fields> = Fields & { readonly id: bigint };

/** A record as it is stored, with its ID. */
export type Stored<Fields> = New<Fields> & {
  /**
   * When the record was stored, in milliseconds since 1970. Unknown for records of version 1.2 and earlier: an import passes `null` for
   * them.
   */
  readonly addedAt?: number | null;
  /** The fingerprint of the original create request, if the record was updated later. */
  readonly original?: string | undefined;
  /** Who creates the record, in the form of `RecordPeople`. Only set for `create`. */
  readonly addedBy?: string | undefined;
};

/** A record and its authors, if known: each is the ID of an access token, or `subject` and the subject of a JSON Web Token. */
export interface RecordPeople<Fields> {
  readonly record: StoredRecord<Fields>;
  readonly addedBy: string | undefined;
  readonly changedBy: string | undefined;
}

/** What remains of a deleted record, so that its ID stays taken. */
export interface Tombstone {
  readonly id: bigint;
  readonly deleted: true;
}

export type StoredRecord<Fields> = Stored<Fields> | Tombstone;

export function isTombstone(record: object): record is Tombstone {
  return 'deleted' in record;
}

export function withoutTombstones<Fields>(records: readonly StoredRecord<Fields>[]): Stored<Fields>[] {
  return records.filter((record): record is Stored<Fields> => !isTombstone(record));
}

/** The result of a create: the record was stored, or `existing` has its ID. */
export type CreateOutcome<Fields> =
  | { readonly stored: true; readonly addedAt: number | null }
  | { readonly stored: false; readonly existing: StoredRecord<Fields> };

export interface Change<Fields> {
  readonly id: bigint;
  /** The maximum size of the fields to store, in bytes; see `Platform.bytesOf`. */
  readonly bytes: number;
  /** Who makes the change, in the form of `RecordPeople`. */
  readonly by?: string | undefined;
  /**
   * Returns the replacement, or `undefined` to change nothing. A store calls it again if another change comes first.
   *
   * @param existing the record or tombstone with the ID. If it is `undefined`, the ID was never used, and only a tombstone can be stored
   */
  readonly replace: (existing: StoredRecord<Fields> | undefined) => StoredRecord<Fields> | undefined;
}

export interface ChangeOutcome<Fields> {
  readonly before: StoredRecord<Fields> | undefined;
  readonly after: StoredRecord<Fields> | undefined;
}

/**
 * Returns the change that deletes a record. A tombstone replaces the record, so that its ID stays taken.
 *
 * @param retire whether to also store a tombstone for an ID that was never used
 */
export function removalOf<Fields>(id: bigint, retire = false): Change<Fields> {
  return {
    id,
    bytes: 0,
    replace(existing) {
      const needsTombstone = existing === undefined ? retire : !isTombstone(existing);
      return needsTombstone ? { id, deleted: true } : undefined;
    },
  };
}

export interface ListFilter {
  /** The matching values by field, as column values. `null` matches records without a value. */
  readonly equal?: Readonly<Record<string, readonly Column[] | undefined>>;
  /** The text that a searched field must contain, regardless of case; see `foldText`. */
  readonly q?: string | undefined;
  /** Records stored at this time or later, in milliseconds since 1970. A record without a time does not match. */
  readonly addedFrom?: number | undefined;
  /** Records stored before this time, in milliseconds since 1970. A record without a time does not match. */
  readonly addedBefore?: number | undefined;
}

export interface ListQuery extends ListFilter {
  readonly order: ListOrder;
  /** The position after which the list begins. */
  readonly after?: ListPosition | undefined;
}

/** Whether a filter excludes any records. */
export function isFiltered({ equal = {}, q, addedFrom, addedBefore }: ListFilter): boolean {
  return [...Object.values(equal), q, addedFrom, addedBefore].some((value) => value !== undefined);
}

export interface ListLimits {
  /** The maximum number of records or changes on a page. */
  readonly matches: number;
  /** The maximum size of the fields on a page, in bytes; see `Platform.bytesOf`. */
  readonly bytes: number;
  /** The maximum time for one read, in milliseconds. Default: 100. */
  readonly durationMs?: number;
}

export interface ListPosition {
  readonly id: bigint;
  readonly addedAt?: number | undefined;
  /** The sort key of the record, in a list ordered by a text field; see `sortKeyOf`. */
  readonly key?: string | undefined;
  /** The progress of a search of all records. Used only within one request, never in a cursor. */
  readonly sweep?: Sweep | undefined;
}

/** A search of all records in the order of their IDs. */
export interface Sweep {
  /** The last ID that was examined, if any. */
  readonly after: bigint | undefined;
  /** The IDs that match so far. */
  readonly found: bigint[];
}

export interface Listed<Fields> {
  readonly records: readonly Stored<Fields>[];
  /** The position of the last record that was examined; `undefined` if the list is complete. */
  readonly last: ListPosition | undefined;
  /** Whether the list ended early because it took too long. */
  readonly isLate?: boolean;
  /** How long the engine took, in milliseconds, without waiting time, if it reports that. */
  readonly readMs?: number | undefined;
}

export interface Total {
  readonly count: number;
  readonly isEstimate: boolean;
  readonly readMs?: number | undefined;
}

/** How many records have each value, in the order of the values. */
export interface CountedValues {
  readonly counts: readonly (readonly [value: string, records: number])[];
  /** Whether there are more values. */
  readonly hasMore: boolean;
  readonly readMs?: number | undefined;
}

/** The position of a record's last change. Records from before changes were numbered come first, in the order of their IDs. */
export interface ChangePosition {
  /**
   * The generation of the store in which the position is valid: 8 hexadecimal digits. Empty if the store accepts cursors of version 1.4.
   */
  readonly generation: string;
  readonly number?: number | undefined;
  readonly id: bigint;
}

/** The position after all records without a number, and before all others. */
export const beforeNumbers = { number: 0, id: INT64_MAX } as const;

/** The last change of a record, and the record as it has been since. */
export interface RecordChange<Fields> {
  readonly record: StoredRecord<Fields>;
  /** When the change happened, in milliseconds since 1970, if known. */
  readonly at: number | undefined;
}

export interface ListedChanges<Fields> {
  readonly changes: readonly RecordChange<Fields>[];
  /** The position of the last record that was examined, or the position where the list began. */
  readonly last: ChangePosition;
  /** Whether there could be more changes after `last`. */
  readonly hasMore: boolean;
  readonly readMs?: number | undefined;
}

/** A current or earlier state of a record, as created or updated. */
export interface RecordState<Fields> {
  readonly fields: Fields;
  /** Orders the replaced states: later states have higher places. The current state has none. */
  readonly place?: number | undefined;
  /** When the state began, in milliseconds since 1970, if known. */
  readonly from: number | undefined;
  /** When the state was replaced, in milliseconds since 1970. `undefined` for the current state. */
  readonly until: number | undefined;
  /**
   * Who created or updated the record to this state, if known: the ID of an access token, or `subject` and the subject of a JSON Web Token.
   */
  readonly by: string | undefined;
}

export interface ListedStates<Fields> {
  readonly states: readonly RecordState<Fields>[];
  /** The place of the first state on the next page; `undefined` if there are no more. */
  readonly next: number | undefined;
}

/** Returns a page that begins with the first state: as many states as the limits allow, and at least one. */
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

const dayMs = 86_400_000;

/** Returns the start of the history, in milliseconds since 1970. States that were replaced earlier are not shown. */
export const keptSince = (now: number, historyDays: number): number =>
  historyDays === 0 ? Number.MAX_SAFE_INTEGER : Math.max(Number.MIN_SAFE_INTEGER, now - historyDays * dayMs);

/**
 * The store of one resource for one caller: on a database, behind a queue, or in memory. Its members are properties, because methods would
 * accept a store of other records (TypeScript compares the parameters of methods bivariantly).
 */
export interface Store<Fields> {
  /** Stores a record if its ID was never used. A record without a time gets the current time. */
  readonly create: (record: Stored<Fields>) => Promise<CreateOutcome<Fields>>;
  readonly change: (change: Change<Fields>) => Promise<ChangeOutcome<Fields>>;
  readonly find: (id: bigint) => Promise<StoredRecord<Fields> | undefined>;
  /**
   * Lists the records that match and were not deleted, up to the limits. A list that takes too long ends early: its `last` is then not
   * `undefined`, and it can have few records, or none.
   */
  readonly list: (query: ListQuery, limits: ListLimits) => Promise<Listed<Fields>>;
  readonly countAll: (filter: ListFilter) => Promise<Total>;
  /**
   * Counts the records with each value of a text field, for up to `maxValues` values after `after`. Does not count records without a value.
   */
  readonly countValues: (
    field: string,
    after: string | undefined,
    maxValues: number,
  ) => Promise<CountedValues>;
  /**
   * Lists the last change of each record after a position, in a stable order. A record that changes again moves to the end.
   *
   * @param after `undefined` for all changes
   * @throws {ServiceError} `cursor_expired` if the position is not of the current store, or `changes_unsupported`
   */
  readonly listChanges: (
    after: ChangePosition | undefined,
    limits: ListLimits,
  ) => Promise<ListedChanges<Fields>>;
  /** The position of the last change that `listChanges` would return now, or `beforeNumbers`. */
  readonly lastChange: () => Promise<ChangePosition>;
  /**
   * Lists the states of a record, the latest first: as many as the limits allow, and at least one if there is one. Each change of the
   * fields adds a state. Replaced states are kept for a limited time, and a delete erases them all.
   *
   * @param start the place of the first state to list; `undefined` for the current state
   * @returns `undefined` if no record has the ID
   */
  readonly listStates: (
    id: bigint,
    start: number | undefined,
    limits: ListLimits,
  ) => Promise<ListedStates<Fields> | undefined>;
}
