import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors/service-error.js';

/** For how long a database that does not answer is asked again, and how long to wait in between, in milliseconds. */
export interface RetryPolicy {
  readonly forMs: number;
  readonly pauseMs: number;
}

/**
 * Runs an action, again and again while the database does not answer, until patience is over. Only for an action that
 * may be repeated.
 *
 * @param signal once aborted, a pause ends at once, and one last try follows
 * @throws what the last try threw
 */
export async function retryWhileUnavailable<Result>(
  action: () => Promise<Result>,
  { forMs, pauseMs }: RetryPolicy,
  signal?: AbortSignal,
): Promise<Result> {
  const deadline = performance.now() + forMs;
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!isUnavailable(error) || signal?.aborted || performance.now() + pauseMs > deadline) throw error;
    }
    await sleep(pauseMs, undefined, { ...(signal && { signal }) }).catch(() => undefined);
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof ServiceError && error.errorName === 'database_unavailable';
}
