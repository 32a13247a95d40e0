import { PlantStoreError } from './plant-store-error.js';

/**
 * No complete reply came within `timeoutMs`, or within `attemptTimeoutMs` at the last attempt. `cause` is the error of
 * the attempt before, if there was one.
 *
 * Unless `outcome` is `not_sent`, the service may have carried out the request nevertheless. Retrying a create is safe:
 * the same plant under the same id is stored once.
 */
export class TimeoutError extends PlantStoreError {
  override get name(): 'TimeoutError' {
    return 'TimeoutError';
  }
}

/** Whether a caught value is a `TimeoutError` of this client. */
export function isTimeoutError(error: unknown): error is TimeoutError {
  return error instanceof TimeoutError;
}
