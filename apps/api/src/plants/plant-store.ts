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
}
