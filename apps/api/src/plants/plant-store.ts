import type { NewPlant } from '@plant-store/contract';

/** A plant as it is stored, under its id. */
export type StoredPlant = NewPlant;

/** The outcome for one plant: stored now, or not, because its id is taken by the existing plant. */
export type InsertOutcome =
  | { readonly stored: true }
  | { readonly stored: false; readonly existing: StoredPlant };

/** A store of plants, on any database engine. */
export interface PlantStore {
  /**
   * Stores many plants in one durable commit and resolves once they are on disk.
   *
   * @param plants any number of plants, in the order of their arrival; of several plants with the same id the first one
   * is stored, as if each had been a request of its own.
   * @returns one outcome per plant, in the same order.
   * @throws {ServiceError} `database_unavailable` when the engine does not answer. The plants may or may not have been
   * stored; retrying is safe.
   */
  insert(plants: readonly NewPlant[]): Promise<readonly InsertOutcome[]>;
  /**
   * Reads a page of plants in the order of their ids. Plants are never changed or deleted, so reading page after page
   * returns every plant that was stored before the first page was read.
   *
   * @param after the id after which the page begins; `undefined` for the first page.
   * @param limits the limits of the page, which always has at least one plant unless none is left.
   * @returns the plants; empty after the last one.
   * @throws {ServiceError} `database_unavailable` when the engine does not answer.
   */
  read(after: bigint | undefined, limits: PageLimits): Promise<readonly StoredPlant[]>;
}

/** The part of a store that inserts plants. */
export type PlantInserter = Pick<PlantStore, 'insert'>;

/** The most that a page of plants may hold. Bytes are those of the texts, in UTF-8. */
export interface PageLimits {
  readonly plants: number;
  readonly bytes: number;
}
