import { ServiceError } from '../service-error.js';

/**
 * The refusal once a database was found damaged. Without `Retry-After`: only its operator can put an end to it.
 *
 * @param cause what the engine said
 */
export function databaseDamaged(cause: Error): ServiceError {
  const message = 'The database is damaged. Ask the operator to restore it.';
  return new ServiceError('database_damaged', message, { cause });
}
