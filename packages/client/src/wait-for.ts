/** What a wait rejects with when its time is over. */
export const timeIsOver = new Error('The time is over');

/** The longest time that timers know, in milliseconds. */
const longestMs = 2 ** 31 - 1;

/**
 * Waits for work for some time, in milliseconds, and as long as a signal lets it; what comes of the work after that is
 * nobody's concern. `cut` is called with the reason when the wait ends before the work.
 *
 * @throws `timeIsOver`, the reason of the signal, or what the work throws
 */
export function waitFor<Result>(
  work: () => Promise<Result>,
  ms: number,
  signal?: AbortSignal,
  cut?: (reason: unknown) => void,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const release = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    };
    const end = () => {
      release();
      const reason = signal?.aborted ? signal.reason : timeIsOver;
      reject(reason);
      cut?.(reason);
    };
    const timer = setTimeout(end, Math.min(ms, longestMs));
    signal?.addEventListener('abort', end);
    work().then(
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
export async function pauseFor(ms: number, signal?: AbortSignal): Promise<void> {
  await waitFor(() => new Promise<never>(() => undefined), ms, signal).catch((error: unknown) => {
    if (error !== timeIsOver) throw error;
  });
}
