import { OperatorError } from '../../errors/operator-error.js';
import { ServiceError } from '../../errors/service-error.js';
import type { RetryPolicy } from '../../plants/retry-while-unavailable.js';

/** How long a command waits for a database that does not answer: as long as a restart of it takes, and then some. */
export const retryPolicy: RetryPolicy = { timeoutMs: 60_000, delayMs: 500 };

/**
 * Carries out an action that has had such retryPolicy.
 *
 * @throws {OperatorError} when the database has not answered all the while; every other error as it is
 */
export async function orExplainUnavailable<Result>(action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    throw error instanceof ServiceError ? explain(error) : error;
  }
}

function explain(error: ServiceError): OperatorError {
  const reason = error.cause instanceof Error ? error.cause.message : error.message;
  if (error.errorName === 'database_damaged') {
    return new OperatorError(
      `The database is damaged: ${reason}\nStop every service on it and restore a backup, as docs/backup.md describes.`,
      { cause: error },
    );
  }
  return new OperatorError(
    `The database has not answered for ${retryPolicy.timeoutMs / 1_000} seconds, the last time with: ${reason}`,
    { cause: error },
  );
}
