import { setTimeout as sleep } from 'node:timers/promises';

/** How long to retry, and how long to wait between attempts, in milliseconds. */
export interface RetryPolicy {
  readonly timeoutMs: number;
  readonly delayMs: number;
}

/**
 * Runs an action, and retries it until it succeeds, fails with an error that is not retryable, or the timeout is over.
 * The action must be idempotent.
 *
 * @param signal once aborted, the current delay ends immediately, and one last attempt follows
 * @throws what the last attempt threw
 */
export async function retry<Result>(
  action: () => Promise<Result>,
  isRetryable: (error: unknown) => boolean,
  { timeoutMs, delayMs }: RetryPolicy,
  signal?: AbortSignal,
): Promise<Result> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!isRetryable(error) || signal?.aborted || performance.now() + delayMs > deadline) throw error;
    }
    await sleep(delayMs, undefined, { ...(signal && { signal }) }).catch(() => undefined);
  }
}
