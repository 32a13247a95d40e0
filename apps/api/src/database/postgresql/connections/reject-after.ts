import { withTimeout } from '../../../runtime/with-timeout.js';

/**
 * Resolves or rejects as a promise does, but rejects after a timeout in milliseconds. What the promise stands for goes on
 * then, and its result is ignored.
 *
 * @throws {Error} that mentions the timeout in its message
 */
export function rejectAfter<Result>(timeoutMs: number, promise: Promise<Result>): Promise<Result> {
  return withTimeout(promise, timeoutMs, () => {
    throw new Error(`timeout exceeded: no answer for ${timeoutMs} ms`);
  });
}
