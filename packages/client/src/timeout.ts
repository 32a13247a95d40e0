/** The rejection reason when a wait times out. */
export const timeoutReason: Error = new Error('timeout');

/**
 * Waits for work until a timeout in milliseconds, or until a signal is aborted. The work gets another signal, which is aborted with the
 * same reason when the wait ends before the work. The result of the work is then ignored.
 *
 * @throws `timeoutReason`, the reason of the signal, or what the work throws
 */
export function withTimeout<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  ms: number,
  signal?: AbortSignal,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const controller = new AbortController();
    const release = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    };
    const end = () => {
      release();
      const reason = signal?.aborted ? signal.reason : timeoutReason;
      reject(reason);
      controller.abort(reason);
    };
    // Timers support at most 2^31 - 1 milliseconds.
    const timer = setTimeout(end, Math.min(ms, 2_000_000_000));
    signal?.addEventListener('abort', end);
    work(controller.signal).finally(release).then(resolve, reject);
  });
}

/** Waits for a number of milliseconds. Rejects with the signal's reason as soon as it is aborted, even if the reason is `timeoutReason`. */
export function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return withTimeout(() => new Promise<never>(() => undefined), ms, signal).catch(() => {
    // The reason cannot distinguish the timeout from the abort, because it may come from another timeout.
    signal?.throwIfAborted();
  });
}
