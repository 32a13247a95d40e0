import { OperatorError } from '../../errors/operator-error.js';
import { ServiceError } from '../../errors/service-error.js';
import { type RetryPolicy, retry } from '../../runtime/retry.js';

/** How long a command retries when the database does not answer: longer than a restart of it takes. */
const policy: RetryPolicy = { timeoutMs: 60_000, delayMs: 500 };

/**
 * Runs an idempotent action, and retries it while the database does not answer.
 *
 * @param signal once aborted, one last attempt follows
 * @throws what the last attempt threw
 */
export function retryWhileUnavailable<Result>(
  action: () => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  return retry(action, isUnavailable, policy, signal);
}

function isUnavailable(error: unknown): boolean {
  return error instanceof ServiceError && error.errorName === 'database_unavailable';
}

/**
 * Runs an action that retries in this way.
 *
 * @throws {OperatorError} when the database has not answered in all that time, or is damaged; any other error unchanged
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
    `The database has not answered for ${policy.timeoutMs / 1_000} seconds, the last time with: ${reason}`,
    { cause: error },
  );
}
