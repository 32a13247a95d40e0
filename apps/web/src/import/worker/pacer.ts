/** Lets long work in the worker report how far it is, give way to messages, and end early. */
export interface Pacer {
  /**
   * Called often in the work, with the fraction that is done; resolves at once unless it is time to give way.
   *
   * @throws the signal's reason once the work is no longer wanted
   */
  pass(fraction: number): Promise<void>;
}

const defaultSliceMs = 50;

/** Gives way after each slice of time, by default about twenty times a second, and reports the fraction then. */
export function createPacer(
  signal: AbortSignal,
  onProgress: (fraction: number) => void,
  sliceMs = defaultSliceMs,
): Pacer {
  let sliceEnd = performance.now() + sliceMs;
  return {
    async pass(fraction) {
      if (performance.now() < sliceEnd) return;
      onProgress(fraction);
      await new Promise((resolve) => setTimeout(resolve));
      signal.throwIfAborted();
      sliceEnd = performance.now() + sliceMs;
    },
  };
}
