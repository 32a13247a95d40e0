import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors/service-error.js';

/** How long to retry while the database does not answer, and how long to wait between attempts, in milliseconds. */
export interface RetryPolicy {
  readonly timeoutMs: number;
  readonly delayMs: number;
}

/**
 * Runs an action, and retries it while it fails with `database_unavailable`, until the timeout. The action must be
 * idempotent.
 *
 * @param signal once aborted, the current delay ends immediately, and one last attempt follows
 * @throws what the last attempt threw
 */
export async function retryWhileUnavailable<Result>(
  action: () => Promise<Result>,
  { timeoutMs, delayMs }: RetryPolicy,
  signal?: AbortSignal,
): Promise<Result> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!isUnavailable(error) || signal?.aborted || performance.now() + delayMs > deadline) throw error;
    }
    await sleep(delayMs, undefined, { ...(signal && { signal }) }).catch(() => undefined);
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof ServiceError && error.errorName === 'database_unavailable';
}
