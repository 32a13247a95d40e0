import type { AccessTokenStore } from '../auth/access-token-store.js';
import type { PlantStore } from '../plants/plant-store.js';

/** An open database of whatever engine. */
export interface Database {
  readonly plants: PlantStore;
  readonly accessTokens: AccessTokenStore;
  /** The migrations that opening it applied, in order; empty when it was up to date. */
  readonly appliedMigrations: readonly string[];
  /** Closes it; what was acknowledged is on disk already. */
  close(): Promise<void>;
}
