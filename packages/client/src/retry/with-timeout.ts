/** What a wait rejects with when its time is over. */
export const timeoutReason = new Error('The time is over');

/**
 * Waits for work for some time, in milliseconds, and as long as a signal lets it; what comes of the work after that is
 * nobody's concern. The work is given a signal, which ends with the reason when the wait ends before the work.
 *
 * @throws `timeoutReason`, the reason of the signal, or what the work throws
 */
export function withTimeout<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  ms: number,
  signal?: AbortSignal,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
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
    // The longest time that timers know.
    const timer = setTimeout(end, Math.min(ms, 2 ** 31 - 1));
    signal?.addEventListener('abort', end);
    work(control.signal).then(
      (result) => {
        release();
        resolve(result);
      },
      (error) => {
        release();
        reject(error);
      },
    );
  });
}

/** Waits for a time, in milliseconds. Rejects with the reason of the signal as soon as that ends. */
export async function delay(ms: number, signal?: AbortSignal): Promise<void> {
  await withTimeout(() => new Promise<never>(() => undefined), ms, signal).catch((error: unknown) => {
    if (error !== timeoutReason) throw error;
  });
}
