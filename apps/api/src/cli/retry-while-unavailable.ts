import { OperatorError } from '../errors/operator-error.js';
import { ServiceError } from '../errors/service-error.js';
import { type RetryPolicy, retry } from '../runtime/timing.js';

/** How long a command retries when the database does not answer: longer than a restart of it takes. */
const policy: RetryPolicy = { timeoutMs: 60_000, delayMs: 500 };

/**
 * Runs an idempotent action, and retries it while the database does not answer.
 *
 * @param signal once aborted, one last attempt follows
 * @throws {OperatorError} when the database has not answered in all that time
 * @throws the reason of the signal when the last attempt after it was not answered either
 * @throws any other error of the action
 */
export async function retryWhileUnavailable<Result>(
  action: () => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  try {
    return await retry(action, isUnavailable, policy, signal);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    signal?.throwIfAborted();
    throw new OperatorError(
      `The database has not answered for ${policy.timeoutMs / 1_000} seconds, the last time with: ${reasonOf(error)}`,
      { cause: error },
    );
  }
}

function isUnavailable(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.errorName === 'database_unavailable';
}

/** The error to report when the database fails: `database_unavailable` or `database_damaged`. */
export function explainDatabaseError(error: ServiceError): OperatorError {
  const reason = reasonOf(error);
  const message =
    error.errorName === 'database_damaged'
      ? `The database is damaged: ${reason}\nStop every service on it and restore a backup, as docs/operate/backup.md describes.`
      : `The database does not answer: ${reason}\nTry again once it does.`;
  return new OperatorError(message, { cause: error });
}

/** What the engine has reported. */
export function reasonOf({ cause, message }: ServiceError): string {
  return cause instanceof Error ? cause.message : message;
}
