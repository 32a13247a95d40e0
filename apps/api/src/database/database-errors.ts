import { ServiceError } from '../errors/service-error.js';

/**
 * The refusal while a database cannot be used.
 *
 * @param cause what the engine or the system said
 */
export function databaseUnavailable(cause: unknown): ServiceError {
  const message = 'The database does not answer. Try again in 1 second.';
  return new ServiceError('database_unavailable', message, { retryAfterSeconds: 1, cause });
}

/**
 * The refusal once a database was found damaged. Without `Retry-After`: only its operator can put an end to it.
 *
 * @param cause what the engine said
 */
export function databaseDamaged(cause: unknown): ServiceError {
  const message = 'The database is damaged. Ask the operator to restore it.';
  return new ServiceError('database_damaged', message, { cause });
}
