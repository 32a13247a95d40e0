/** The width of a bucket, in milliseconds: the resolution of a percentile. */
const bucketMs = 0.01;
const maxMs = 20_000;

/** Counts latencies in buckets of 10 microseconds up to 20 seconds; recording one is an increment. */
export interface LatencyHistogram {
  record(latencyMs: number): void;
  readonly count: number;
  /** The latency that a share of the replies, from 0 to 1, does not exceed, in milliseconds; 0 when there are none. */
  percentileMs(share: number): number;
}

/** Creates an empty histogram. */
export function createLatencyHistogram(): LatencyHistogram {
  const buckets = new Uint32Array(maxMs / bucketMs + 1);
  let count = 0;
  return {
    record(latencyMs) {
      // A request that is sent a moment before its time may be answered before it, too.
      const bucket = Math.max(0, Math.min(Math.ceil(latencyMs / bucketMs), buckets.length - 1));
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
      count++;
    },
    get count() {
      return count;
    },
    percentileMs(share) {
      let rest = Math.ceil(count * share);
      if (rest === 0) return 0;
      const bucket = buckets.findIndex((inBucket) => {
        rest -= inBucket;
        return rest <= 0;
      });
      return Number((bucket * bucketMs).toFixed(2));
    },
  };
}
