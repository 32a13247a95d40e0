import { PlantStoreError } from './plant-store-error.js';

/**
 * No complete reply came: the service is not reachable, or the connection broke. `cause` is what `fetch` threw last.
 *
 * Unless `outcome` is `not_sent`, the service may have carried out the request nevertheless. Retrying a create is safe:
 * the same plant under the same id is stored once.
 */
export class NetworkError extends PlantStoreError {
  override get name(): 'NetworkError' {
    return 'NetworkError';
  }
}

/** Whether a caught value is a `NetworkError`. */
export function isNetworkError(error: unknown): error is NetworkError {
  return error instanceof NetworkError;
}
