import { z } from 'zod';

/** The settings of one run of the load generator. */
export const LoadSchema = z.object({
  baseUrl: z.string(),
  token: z.string(),
  connections: z.int().positive(),
  /** What is requested: single creates by default, one plant by its id, a page of 100, or a batch of 500 creates. */
  operation: z.enum(['create', 'get', 'list', 'batch']).optional(),
  /** The order of the ids; random by default. */
  ids: z.enum(['random', 'ascending']).optional(),
  /** How long requests are sent before the measurement. */
  warmupSeconds: z.number().nonnegative(),
  /** The length of the measurement. */
  seconds: z.number().positive(),
});

export type Load = z.output<typeof LoadSchema>;

/** How many plants a batch has, and how many are stored before plants are read. */
export const batchPlants = 500;
export const storedPlants = 100_000;

/** The result of one run of the load generator. */
export const LoadResultSchema = z.object({
  /** The actual length of the measurement. */
  measuredSeconds: z.number(),
  /** Replies with 200 per second of the measurement. */
  requestsPerSecond: z.number(),
  /** Latencies of the replies with 200 during the measurement, in milliseconds. */
  p50Ms: z.number(),
  p99Ms: z.number(),
  maxMs: z.number(),
  /** The plants of all creates that were answered 200, warm-up included, each of which must be stored; the replies of reads. */
  acknowledged: z.int(),
  /** Other replies, failed connections and timeouts, warm-up included. */
  errors: z.int(),
  /** How often each of them occurred: `status 500`, or a code such as `ECONNRESET`. */
  errorCounts: z.record(z.string(), z.int()),
  /** Processor time of the generator per reply, in microseconds, which a target lacks on a small machine. */
  generatorMicrosecondsPerReply: z.number(),
});

export type LoadResult = z.output<typeof LoadResultSchema>;
