import type { ErrorNumber, Fetch } from '@plant-store/client';
import { errorNumbers } from '../../shared/explain-failure.js';

/** After these, `internal_error` and `database_unavailable`, the plant may be stored all the same. */
const ambiguous: readonly ErrorNumber[] = [50000, 50301];
const unambiguous = errorNumbers.filter((number) => !ambiguous.includes(number));

/**
 * A `fetch` for one call, and whether an attempt of it may have stored the plant: one without a reply of the service, or with
 * a reply that leaves it open. The last reply alone does not show that, since the client retries.
 */
export function watchAttempts(): { readonly fetch: Fetch; mayBeStored(): boolean } {
  let mayBeStored = false;
  const fetch: Fetch = async (url, init) => {
    const before = mayBeStored;
    mayBeStored = true;
    const response = await globalThis.fetch(url, init);
    const certain = await response
      .clone()
      .json()
      .then(isNotStored, () => false);
    mayBeStored = before || !certain;
    return response;
  };
  return { fetch, mayBeStored: () => mayBeStored };
}

function isNotStored(body: unknown): boolean {
  return unambiguous.includes(Object(body).error);
}
