import { z } from 'zod';

/** The settings of one run of the overload generator. */
export const OverloadLoadSchema = z.object({
  baseUrl: z.string(),
  token: z.string(),
  connections: z.int().positive(),
  /** How long a connection waits after a 503 before it sends the same request again. */
  retryMs: z.number().nonnegative(),
  warmupSeconds: z.number().nonnegative(),
  seconds: z.number().positive(),
});

export type OverloadLoad = z.output<typeof OverloadLoadSchema>;

/** The result of one run of the overload generator. */
export const OverloadResultSchema = z.object({
  /** Replies with 200 and with 503 per second of the measurement. */
  storedPerSecond: z.number(),
  rejectedPerSecond: z.number(),
  /** The median time from opening a connection to its first reply; all are opened at the same time. */
  firstReplyMs: z.number(),
  /** Other replies, and failed connections. */
  failed: z.int(),
});

export type OverloadResult = z.output<typeof OverloadResultSchema>;
