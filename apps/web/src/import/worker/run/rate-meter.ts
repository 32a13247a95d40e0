const windowMs = 8000;
const sampleMs = 250;

/** A moving average of how fast something is done. */
export interface RateMeter {
  /** Takes how many are done by now, and gives how many are done a second. */
  measure(done: number, nowMs: number): number;
  /** Begins again, such as after a pause. */
  reset(): void;
}

/** Averages over the last eight seconds, or as many as there were. */
export function createRateMeter(): RateMeter {
  let samples: { readonly done: number; readonly atMs: number }[] = [];
  return {
    measure(done, nowMs) {
      const last = samples.at(-1);
      if (last === undefined || nowMs - last.atMs >= sampleMs) samples.push({ done, atMs: nowMs });
      samples = samples.filter(({ atMs }, index) => nowMs - atMs <= windowMs || index === samples.length - 1);
      const [first] = samples;
      if (first === undefined || nowMs === first.atMs) return 0;
      return ((done - first.done) * 1000) / (nowMs - first.atMs);
    },
    reset() {
      samples = [];
    },
  };
}
