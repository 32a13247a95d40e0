import { ServiceError } from '../errors/service-error.js';

/**
 * The error for requests while the database is unavailable.
 *
 * @param cause the error of the engine or the operating system
 */
export function databaseUnavailable(cause: unknown): ServiceError {
  const message = 'The database does not answer. Try again in 1 second.';
  return new ServiceError('database_unavailable', message, { retryAfterSeconds: 1, cause });
}

/**
 * The error for requests once the database was found damaged. It has no `Retry-After`: only the operator can fix this.
 *
 * @param cause the error of the engine
 */
export function databaseDamaged(cause: unknown): ServiceError {
  const message = 'The database is damaged. Ask the operator to restore it.';
  return new ServiceError('database_damaged', message, { cause });
}
