import type { NewPlant } from '@plant-store/contract';

/** A plant as it is stored, under its id. */
export interface StoredPlant extends NewPlant {
  /**
   * When it was stored, in milliseconds since 1970; not known of plants from before this was kept, which are inserted elsewhere
   * with `null`.
   */
  readonly addedAt?: number | null;
}

/** The outcome for one plant: stored now, or not, because its id is taken by the existing plant. */
export type InsertOutcome =
  | { readonly stored: true }
  | { readonly stored: false; readonly existing: NewPlant };

/** The outcome of a plant that was stored. */
export const stored: InsertOutcome = { stored: true };

/** A store of plants, on any database engine. */
export interface PlantStore {
  /**
   * Stores many plants in one durable commit and resolves once they are on disk.
   *
   * @param plants any number of plants, in the order of their arrival; of several plants with the same id the first one
   * is stored, as if each had been a request of its own. One without a time gets that of the service.
   * @returns one outcome per plant, in the same order.
   * @throws {ServiceError} `database_unavailable` when the engine does not answer. The plants may or may not have been
   * stored; retrying is safe.
   */
  insert(plants: readonly StoredPlant[]): Promise<readonly InsertOutcome[]>;
  /**
   * Finds the plants with these ids, in any order. What it returns is as durable as what `insert` has stored.
   *
   * @throws {ServiceError} `database_unavailable` when the engine does not answer
   */
  find(ids: readonly bigint[]): Promise<readonly StoredPlant[]>;
  /**
   * Examines plants in an order, as many as the limits allow, at least one, and returns those that match. What it returns is as
   * durable as what `insert` has stored.
   *
   * @throws {ServiceError} `database_unavailable` when the engine does not answer, `overloaded` when too many lists wait
   */
  list(query: ListQuery, limits: ListLimits): Promise<ListedPlants>;
  /**
   * Reads all plants after an id, page by page, in the order of their ids. Plants are never changed or deleted, so it returns
   * every plant that was stored before it began, and possibly some that were stored since. An error ends it; it may be called
   * again with the last id that it returned.
   *
   * @param after the id after which to begin; `undefined` for all plants
   * @param limits the limits of each page. No page is empty, so a plant that exceeds them is a page of its own.
   * @throws {ServiceError} `database_unavailable` when the engine does not answer, from the iterator
   */
  read(after: bigint | undefined, limits: PageLimits): AsyncIterable<readonly StoredPlant[]>;
}

/** Stores plants one by one, each once it is on disk, however many are written at the same time. */
export interface PlantWriter {
  /**
   * Queues a plant and resolves once it is on disk, or its id turns out to be taken.
   *
   * @throws {ServiceError} `overloaded` when the queue is full; the plant is not stored then
   * @throws {ServiceError} `database_unavailable` when the store does not answer
   * @throws whatever else the store throws for this plant; an error caused by another plant is not reported
   */
  write(plant: NewPlant): Promise<InsertOutcome>;
  /** Whether the queue has as many plants as its limit allows: `write` would reject another one. */
  isFull(): boolean;
  /** How much is queued; bytes are those of the texts, in UTF-8. */
  queued(): { readonly plants: number; readonly bytes: number };
  /** Resolves once nothing is queued or being stored. */
  idle(): Promise<void>;
}

/** The part of a store that inserts plants. */
export type PlantInserter = Pick<PlantStore, 'insert'>;

/** The part of a store that reads plants. */
export type PlantReader = Pick<PlantStore, 'find' | 'list'>;

/** Which plants to examine, and which of these match. */
export interface ListQuery {
  /** By `id` ascending; the `newest` first, then descending by id; or those without a time, descending by id. */
  readonly order: 'id' | 'newest' | 'untimed';
  /** The plant after which to begin. */
  readonly after?: ListPosition | undefined;
  /** Plants with exactly this tag match. */
  readonly tag?: string | undefined;
  /** Plants with this in their name match, ASCII letters in either case. */
  readonly q?: string | undefined;
}

/** The most that a list may have. Bytes are those of the texts of all plants that it examines, in UTF-8. */
export interface ListLimits {
  readonly matches: number;
  readonly plants: number;
  readonly bytes: number;
}

/** The place of a plant in a list. */
export interface ListPosition {
  readonly id: bigint;
  readonly addedAt?: number | undefined;
}

/** The plants of a list that match, in order. */
export interface ListedPlants {
  readonly plants: readonly StoredPlant[];
  /** The last plant that was examined; `undefined` if there are no more. */
  readonly last: ListPosition | undefined;
}

/** The most that a page of plants may hold. Bytes are those of the texts, in UTF-8. */
export interface PageLimits {
  readonly plants: number;
  readonly bytes: number;
}
