import { OperatorError } from '../../errors/operator-error.js';
import type { ServiceError } from '../../errors/service-error.js';

/** The error to report when the database fails: `database_unavailable` or `database_damaged`. */
export function explainDatabaseError(error: ServiceError): OperatorError {
  const reason = reasonOf(error);
  const message =
    error.errorName === 'database_damaged'
      ? `The database is damaged: ${reason}\nStop every service on it and restore a backup, as docs/backup.md describes.`
      : `The database does not answer: ${reason}\nTry again once it does.`;
  return new OperatorError(message, { cause: error });
}

/** What the engine has reported. */
export function reasonOf({ cause, message }: ServiceError): string {
  return cause instanceof Error ? cause.message : message;
}
