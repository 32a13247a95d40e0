/**
 * What every error of this client's own extends: a request that was not answered with a reply of the interface.
 *
 * A reply of the interface is never thrown, whatever its status; look at `status` there.
 */
export abstract class PlantStoreError extends Error {
  static {
    PlantStoreError.prototype.name = 'PlantStoreError';
  }
}

/** Whether a caught value is a `PlantStoreError` of any kind. */
export function isPlantStoreError(error: unknown): error is PlantStoreError {
  return error instanceof PlantStoreError;
}
