import { messages } from '@plant-store/contract/messages';
import type { RequestHandler, Response } from 'express';
import type { ClientRateLimitInfo, Store } from 'express-rate-limit';
import { ServiceError } from '../../errors/service-error.js';
import { callerOf } from './bearer-auth.js';

/** Counts the requests of each caller. */
export interface RequestCounts extends Pick<Store, 'decrement' | 'resetKey'> {
  /** Counts so many, one by default, and returns how many there are in this minute, which ends at the time. */
  increment(caller: string, count?: number): Promise<ClientRateLimitInfo> | ClientRateLimitInfo;
}

/**
 * Counts the plants of a batch for its caller, of which its request has counted one, and sends what is left.
 *
 * @throws {ServiceError} `batch_too_large` when no minute permits so many, `rate_limited` when this one does not any more;
 *   then only the request counts
 */
export type CountBatch = (response: Response, plants: number) => Promise<void>;

/** How long the requests of a caller are counted, in milliseconds. */
const windowMs = 60_000;

/** What the RateLimit headers call the limit. */
const identifier = 'plants';

/**
 * Limits how many requests one caller may make in a minute, and sends the RateLimit headers
 * (draft-ietf-httpapi-ratelimit-headers-08). Comes after authentication. Each plant of a batch counts as a request.
 *
 * @param counts where they are counted; in this process by default
 */
export async function rateLimit(
  requestsPerMinute: number,
  counts: RequestCounts = createRequestCounts(),
): Promise<{ readonly middleware: RequestHandler; readonly countBatch: CountBatch }> {
  // Loaded only when needed: most services have no limit, and start faster without it.
  const { rateLimit: createRateLimit } = await import('express-rate-limit');
  const callerKey = (response: Response) => String(callerOf(response.locals));
  const middleware = createRateLimit({
    windowMs,
    limit: requestsPerMinute,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    identifier,
    store: { ...counts, increment: async (caller) => counts.increment(caller) },
    keyGenerator: (_request, response) => callerKey(response),
    handler(_request, response) {
      throw rejection(Number(response.getHeader('Retry-After')));
    },
  });
  return {
    middleware,
    async countBatch(response, plants) {
      if (plants > requestsPerMinute) {
        throw new ServiceError('batch_too_large', messages.batchBeyondRateLimit(plants, requestsPerMinute));
      }
      const caller = callerKey(response);
      const counted = await counts.increment(caller, plants - 1);
      const fits = counted.totalHits <= requestsPerMinute;
      const { totalHits, resetTime } = fits ? counted : await counts.increment(caller, 1 - plants);
      const seconds = Math.max(1, Math.ceil(((resetTime?.getTime() ?? Date.now()) - Date.now()) / 1_000));
      const left = Math.max(0, requestsPerMinute - totalHits);
      response.setHeader('RateLimit', `"${identifier}"; r=${left}; t=${seconds}`);
      if (fits) return;
      response.setHeader('Retry-After', seconds);
      throw rejection(seconds);
    },
  };
}

function rejection(seconds: number): ServiceError {
  return new ServiceError('rate_limited', `Too many requests. Try again in ${seconds} s.`);
}

/** Counts in this process, for a minute from the first request of a caller. */
export function createRequestCounts(): RequestCounts {
  /** In the order in which they end. */
  const windows = new Map<string, { totalHits: number; readonly resetTime: Date }>();

  function openWindow(caller: string, now: number) {
    for (const [other, { resetTime }] of windows) {
      if (resetTime.getTime() > now) break;
      windows.delete(other);
    }
    const window = { totalHits: 0, resetTime: new Date(now + windowMs) };
    windows.set(caller, window);
    return window;
  }

  return {
    increment(caller, count = 1) {
      const now = Date.now();
      const current = windows.get(caller);
      const window = current && current.resetTime.getTime() > now ? current : openWindow(caller, now);
      // What a batch takes back may have counted in the minute before.
      window.totalHits = Math.max(0, window.totalHits + count);
      return { ...window };
    },
    // Each request counts, whatever its reply.
    decrement: () => undefined,
    resetKey: () => undefined,
  };
}
