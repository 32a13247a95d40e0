/** The reason with which a wait rejects when it times out. */
export const timeoutReason: Error = new Error('timeout');

/**
 * Waits for work until a timeout in milliseconds, or until a signal is aborted. A later result of the work is ignored. The work gets a new
 * signal, which is aborted with the same reason when the wait ends first.
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
    const control = new AbortController();
    const release = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    };
    const end = () => {
      release();
      const reason = signal?.aborted ? signal.reason : timeoutReason;
      reject(reason);
      control.abort(reason);
    };
    // Timers support at most 2^31 - 1.
    const timer = setTimeout(end, Math.min(ms, 2_000_000_000));
    signal?.addEventListener('abort', end);
    work(control.signal).finally(release).then(resolve, reject);
  });
}

/** Waits some milliseconds. Rejects with the signal's reason as soon as that is aborted, even if that reason is a `timeoutReason`. */
export function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return withTimeout(() => new Promise<never>(() => undefined), ms, signal).catch(() => {
    // The reason may come from another timeout, so only the signal tells the two ends apart.
    signal?.throwIfAborted();
  });
}
