import type { Store } from 'express-rate-limit';
import type { AuthenticationLimit } from '../auth/limit/authentication-limit.js';

/** Limits that hold for several processes together: each asks one place, which counts for all. */
export interface SharedLimits {
  /** Instead of an `AuthenticationLimit` that counts for this process alone. */
  readonly authentication: AuthenticationLimit;
  /** Counts the requests of each caller. */
  readonly requestCounts: Pick<Store, 'increment' | 'decrement' | 'resetKey'>;
}
