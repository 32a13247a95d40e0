import { z } from 'zod';

/** What one run of the generator of overload is given. */
export const OverloadLoadSchema = z.object({
  baseUrl: z.string(),
  token: z.string(),
  connections: z.int().positive(),
  /** How long a connection waits after a refusal before it sends the same request again. */
  retryMs: z.number().nonnegative(),
  warmupSeconds: z.number().nonnegative(),
  seconds: z.number().positive(),
});

export type OverloadLoad = z.output<typeof OverloadLoadSchema>;

/** What one run of the generator of overload saw. */
export const OverloadResultSchema = z.object({
  /** Replies 200 and 503 per second of the measured window. */
  storedPerSecond: z.number(),
  refusedPerSecond: z.number(),
  /** The median time from the connecting of a connection to its first reply; all are opened at once. */
  firstReplyMs: z.number(),
  /** Other replies, and failed connections. */
  failed: z.int(),
});

export type OverloadResult = z.output<typeof OverloadResultSchema>;
