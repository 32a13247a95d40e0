import type { AccessTokenStore } from '../auth/access-token-store.js';
import type { PlantStore } from '../plants/plant-store.js';

/** An open database of whatever engine. */
export interface Database {
  readonly plants: PlantStore;
  readonly accessTokens: AccessTokenStore;
  /** The migrations that opening it applied, in order; empty when it was up to date. */
  readonly appliedMigrations: readonly string[];
  /**
   * How many inserts may be under way at once and still gain: one where the engine has a single writer.
   */
  readonly concurrentInserts: number;
  /**
   * Asks the engine whether it would store a plant now.
   *
   * @throws {ServiceError} `database_unavailable` when it does not answer, or takes no writes
   */
  check(): Promise<void>;
  /** Closes it; what was acknowledged is on disk already. */
  close(): Promise<void>;
}
