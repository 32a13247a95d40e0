import { isPlantStoreError, PlantStoreError } from './plant-store-error.js';

/**
 * No complete reply came within `timeoutMs`, or within `attemptTimeoutMs` in the last attempt. `cause` is the error of the previous
 * attempt, if there was one.
 *
 * If `outcome` is `unknown`, the service may still have carried out the request. Retrying a create is safe: the same plant with the same ID
 * is stored once.
 */
export class TimeoutError extends PlantStoreError {
  override get name(): 'TimeoutError' {
    return 'TimeoutError';
  }
}

/** Whether a caught value is a `TimeoutError` of this client, including one from another copy of this package. */
export function isTimeoutError(error: unknown): error is TimeoutError {
  return isPlantStoreError(error) && error.name === 'TimeoutError';
}
