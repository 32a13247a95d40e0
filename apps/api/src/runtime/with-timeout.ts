/**
 * Waits for a promise, but no longer than a timeout in milliseconds; what it stands for goes on after that, and a later
 * rejection is ignored.
 *
 * @param onTimeout returns the result after the timeout, or throws
 * @param signal once aborted, the timeout is over immediately
 */
export async function withTimeout<Result, Late>(
  promise: Promise<Result>,
  timeoutMs: number,
  onTimeout: () => Late,
  signal?: AbortSignal,
): Promise<Result | Late> {
  const { promise: timeout, resolve } = Promise.withResolvers<void>();
  const end = () => resolve();
  const timer = setTimeout(end, timeoutMs);
  if (signal?.aborted) end();
  signal?.addEventListener('abort', end);
  try {
    return await Promise.race([promise, timeout.then(onTimeout)]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}
