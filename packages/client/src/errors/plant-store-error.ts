/**
 * Whether the request may have been carried out: `not_sent` when it certainly was not, since no connection was made,
 * `unknown` otherwise.
 */
export type Outcome = 'not_sent' | 'unknown';

/** What led to an error, and whether the request may have been carried out. */
export interface PlantStoreErrorOptions extends ErrorOptions {
  readonly outcome: Outcome;
}

/**
 * What every error of this client's own extends: a request that was not answered with a reply of the interface.
 *
 * A reply of the interface is never thrown, whatever its status; look at `status` there.
 */
export abstract class PlantStoreError extends Error {
  /** Whether the plant may have been stored. Repeating a create is safe in either case. */
  readonly outcome: Outcome;

  constructor(message: string, { outcome, ...options }: PlantStoreErrorOptions) {
    super(message, options);
    this.outcome = outcome;
  }
}

/** Whether a caught value is a `PlantStoreError` of any kind. */
export function isPlantStoreError(error: unknown): error is PlantStoreError {
  return error instanceof PlantStoreError;
}
