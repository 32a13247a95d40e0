import { z } from 'zod';

/** What one run of the load generator is told. */
export const LoadSchema = z.object({
  baseUrl: z.string(),
  token: z.string(),
  connections: z.int().positive(),
  /** How long requests are sent before anything is measured. */
  warmupSeconds: z.number().nonnegative(),
  /** How long is measured. */
  seconds: z.number().positive(),
});

export type Load = z.output<typeof LoadSchema>;

/** What one run of the load generator saw. */
export const LoadResultSchema = z.object({
  /** The length of the measured window, as it turned out. */
  measuredSeconds: z.number(),
  /** Replies 200 per second of the measured window. */
  requestsPerSecond: z.number(),
  /** Latencies of the replies 200 of the measured window, in milliseconds. */
  p50Ms: z.number(),
  p99Ms: z.number(),
  maxMs: z.number(),
  /** Replies 200 from the first request on, warm-up included: each is a plant that must be stored. */
  acknowledged: z.int(),
  /** Other replies, failed connections and timeouts, warm-up included. */
  errors: z.int(),
  /** How often which of them came: `status 500`, or a code such as `ECONNRESET`. */
  errorCounts: z.record(z.string(), z.int()),
  /** Processor time of the generator per reply, in microseconds: what it takes from a target on a small machine. */
  generatorMicrosecondsPerReply: z.number(),
});

export type LoadResult = z.output<typeof LoadResultSchema>;
