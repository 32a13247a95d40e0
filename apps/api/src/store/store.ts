import type { Caller } from '../runtime/budget.js';

/** A resource under its id, as it is created. */
export type New<Resource> = Resource & { readonly id: bigint };

/** A resource as it is stored, under its id. */
export type Stored<Resource> = New<Resource> & {
  /**
   * When it was stored, in milliseconds since 1970; not known of plants from before this was kept, which are inserted elsewhere
   * with `null`.
   */
  readonly addedAt?: number | null;
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

/** The outcome for one record: stored now, or not, because its id is taken by the existing one. */
export type InsertOutcome<Resource> =
  | { readonly stored: true }
  | { readonly stored: false; readonly existing: New<Resource> | Tombstone };

/** The outcome of a record that was stored. */
export const stored = { stored: true } as const;

/** A store of one resource, on any database engine. */
export interface Store<Resource> {
  /**
   * Stores many records durably and resolves once they are on disk: plants in one commit, where no tombstone has the same id.
   *
   * @param records any number of them, in the order of their arrival. Each has the outcome that a call of its own would have
   * had: a plant is stored if its id was never taken, a tombstone unless its id has one already; it erases the plant that has
   * the id, if there is one. A plant without a time gets that of the service.
   * @returns one outcome per record, in the same order.
   * @throws {ServiceError} `database_unavailable` when the engine does not answer. The records may or may not have been
   * stored; retrying is safe.
   */
  insert(records: readonly StoredRecord<Resource>[]): Promise<readonly InsertOutcome<Resource>[]>;
  /**
   * Finds what has these ids, in any order. What it returns is as durable as what `insert` has stored.
   *
   * @throws {ServiceError} `database_unavailable` when the engine does not answer
   */
  find(ids: readonly bigint[]): Promise<readonly StoredRecord<Resource>[]>;
  /**
   * Examines records in an order, as many as the limits allow, at least one, and returns the plants that match. What it returns
   * is as durable as what `insert` has stored.
   *
   * @throws {ServiceError} `database_unavailable` when the engine does not answer, `overloaded` when too many lists wait
   */
  list(query: ListQuery, limits: ListLimits): Promise<Listed<Resource>>;
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

/**
 * Stores plants, and deletes them, one by one, each once it is on disk, however many are written at the same time. Callers take
 * turns.
 */
export interface Writer<Resource> {
  /**
   * Queues a plant, or a tombstone, and resolves once it is on disk, or its id turns out to be taken.
   *
   * @throws {ServiceError} `overloaded` when the queue has no room for the caller; it is not stored then
   * @throws {ServiceError} `database_unavailable` when the store does not answer
   * @throws whatever else the store throws for this plant; an error caused by another plant is not reported
   */
  write(record: New<Resource> | Tombstone, caller: Caller): Promise<InsertOutcome<Resource>>;
  /** Whether the queue has as many plants as its limit allows the caller: `write` would reject another one. */
  isFull(caller: Caller): boolean;
  /** What part of the time a plant waited to be stored lately, from 0 to 1. */
  waitingShare(): number;
  /** How much is queued; bytes are those of the texts, in UTF-8. */
  queued(): { readonly plants: number; readonly bytes: number };
  /** Resolves once nothing is queued or being stored. */
  idle(): Promise<void>;
}

/** Which plants to examine, and which of these match. */
export interface ListQuery {
  /** By `id` ascending; the `newest` first, then descending by id; or those without a time, descending by id. */
  readonly order: 'id' | 'newest' | 'untimed';
  /** The plant after which to begin. */
  readonly after?: ListPosition | undefined;
  /** What the columns of these names must be equal to. */
  readonly equal?: Readonly<Record<string, string | undefined>>;
  /** What a column that is searched must have as a part; ASCII letters match in either case. */
  readonly q?: string | undefined;
}

/** The most that a list may have. Bytes are those of the texts of all plants that it examines, in UTF-8. */
export interface ListLimits {
  readonly matches: number;
  readonly plants: number;
  readonly bytes: number;
  /** For how long plants are examined, in milliseconds, where the engine looks at the time; by default a tenth of a second. */
  readonly durationMs?: number;
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

/** The most that a page of plants may hold. Bytes are those of the texts, in UTF-8. */
export interface PageLimits {
  readonly plants: number;
  readonly bytes: number;
}
