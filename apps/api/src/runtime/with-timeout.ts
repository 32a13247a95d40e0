/**
 * Waits for a promise, but no longer than a timeout in milliseconds; what it stands for goes on after that, and a later
 * rejection is ignored.
 *
 * @param onTimeout returns the result after the timeout, or throws
 */
export async function withTimeout<Result, Late>(
  promise: Promise<Result>,
  timeoutMs: number,
  onTimeout: () => Late,
): Promise<Result | Late> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  try {
    return await Promise.race([promise, timeout.then(onTimeout)]);
  } finally {
    clearTimeout(timer);
  }
}
