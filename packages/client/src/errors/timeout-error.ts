import { isPlantStoreError, PlantStoreError } from './plant-store-error.js';

/**
 * No complete reply came within `timeoutMs`, or within `attemptTimeoutMs` at the last attempt. `cause` is the error of
 * the attempt before, if there was one.
 *
 * If `outcome` is `unknown`, the service may have carried out the request nevertheless. Retrying a create is safe:
 * the same plant under the same id is stored once.
 */
export class TimeoutError extends PlantStoreError {
  override get name(): 'TimeoutError' {
    return 'TimeoutError';
  }
}

/** Whether a caught value is a `TimeoutError` of this client, also one of another copy of this package. */
export function isTimeoutError(error: unknown): error is TimeoutError {
  return isPlantStoreError(error) && error.name === 'TimeoutError';
}
