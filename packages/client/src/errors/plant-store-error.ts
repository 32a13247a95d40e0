/**
 * Whether the request may have been carried out: `not_sent` when it was not, since no connection was made, otherwise
 * `unknown`.
 */
export type Outcome = 'not_sent' | 'unknown';

/** The cause of an error, and whether the request may have been carried out. */
export interface PlantStoreErrorOptions {
  readonly outcome: Outcome;
  readonly cause?: unknown;
}

/**
 * The base class of this client's errors: the request did not get a reply that the API defines.
 *
 * A reply that the API defines is never thrown, whatever its status; check its `status`.
 */
export abstract class PlantStoreError extends Error {
  /** Whether the plant may have been stored. Retrying a create is safe in either case. */
  readonly outcome: Outcome;

  /** The error that led to this one, if there was one. Declared here for projects whose `lib` is older than ES2022. */
  declare readonly cause?: unknown;

  constructor(message: string, { outcome, ...options }: PlantStoreErrorOptions) {
    super(message, options);
    this.outcome = outcome;
  }
}

/** Whether a caught value is a `PlantStoreError` of any kind. */
export function isPlantStoreError(error: unknown): error is PlantStoreError {
  return error instanceof PlantStoreError;
}
