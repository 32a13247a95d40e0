import type { NewPlant } from '@plant-store/contract';

/** A plant as it is stored, under its id. */
export type StoredPlant = NewPlant;

/** What became of one plant: stored now, or refused because its id is taken by the plant given. */
export type InsertOutcome =
  | { readonly stored: true }
  | { readonly stored: false; readonly existing: StoredPlant };

/** Where plants are kept, whatever the engine. */
export interface PlantStore {
  /**
   * Stores many plants in one durable commit and resolves once they are on disk.
   *
   * @param plants any number of plants, in the order of their arrival; the same id may occur more than once, and
   * then the first one wins, as it would one request after the other.
   * @returns one outcome per plant, in the same order.
   * @throws {ServiceError} `database_unavailable` when the engine does not answer; whether they were stored is not known then, and
   * trying again is safe.
   */
  insert(plants: readonly NewPlant[]): Promise<readonly InsertOutcome[]>;
  /**
   * Reads the next plants in the order of their ids. A plant never changes and never goes, so reading page after page
   * meets every plant that was there at the beginning.
   *
   * @param after the id after which the page begins; absent for the first page.
   * @param limits how many plants a page has at most, and how many bytes of text, in UTF-8; it has one plant at least.
   * @returns the plants; none when there are no more.
   * @throws {ServiceError} `database_unavailable` when the engine does not answer.
   */
  read(after: bigint | undefined, limits: PageLimits): Promise<readonly StoredPlant[]>;
}

/** How much one page of plants may hold. */
export interface PageLimits {
  readonly plants: number;
  readonly bytes: number;
}
