import { messagesOf } from '@plant-store/contract/messages';
import type { Resource } from '@plant-store/contract/resource';
import { ServiceError } from '@plant-store/records';
import type { RequestHandler, Response } from 'express';
import { rateLimitName } from '../../resources.js';
import { callerOf } from './bearer-auth.js';

/**
 * Counts the records of a batch toward the caller's limit, and sends the number of requests left. The request itself has already counted as
 * one.
 *
 * @throws {ServiceError} `batch_too_large` when the batch exceeds the limit per minute, `rate_limited` when it exceeds what is left of it;
 *   then only the request counts
 */
export type CountBatch = (response: Response, records: number, resource: Resource) => void;

/** How long the requests of a caller are counted, in milliseconds. */
const windowMs = 60_000;

/**
 * Limits the requests of each caller per minute, to the limit of its token if it has one, and sends the RateLimit headers
 * (draft-ietf-httpapi-ratelimit-headers-08). Comes after authentication. Each record of a batch counts as a request.
 *
 * @param requestsPerMinute the limit in this process for tokens without their own limit; 0 is no limit
 * @param workers the number of processes; each enforces its share of a token's own limit
 */
export async function rateLimit(
  requestsPerMinute: number,
  workers: number,
): Promise<{ readonly middleware: RequestHandler; readonly countBatch: CountBatch }> {
  const limitOf = ({ locals: { accessToken } }: Response) => {
    const own = accessToken?.ratePerMinute;
    return own ? Math.max(1, Math.floor(own / workers)) : requestsPerMinute;
  };
  const windowOf = createWindows();
  const callerKey = (response: Response) => String(callerOf(response.locals));
  // Loaded only when needed: most services have no limit, and start faster without it.
  const load = async () =>
    (await import('express-rate-limit')).rateLimit({
      windowMs,
      limit: (_request, response) => limitOf(response),
      standardHeaders: 'draft-8',
      legacyHeaders: false,
      identifier: rateLimitName,
      store: {
        async increment(caller) {
          const window = windowOf(caller);
          window.totalHits++;
          // The library compares this time with the clock immediately, for the headers.
          return { totalHits: window.totalHits, resetTime: new Date(Date.now() + leftMsOf(window)) };
        },
        // Every request counts, with any reply.
        decrement: () => undefined,
        resetKey: () => undefined,
      },
      keyGenerator: (_request, response) => callerKey(response),
      handler(_request, response) {
        throw rejection(Number(response.getHeader('Retry-After')));
      },
    });
  let limit = requestsPerMinute > 0 ? await load() : undefined;
  return {
    middleware(request, response, next) {
      if (limitOf(response) === 0) return next();
      if (limit !== undefined) return limit(request, response, next);
      return load().then((loaded) => {
        limit ??= loaded;
        return limit(request, response, next);
      });
    },
    countBatch(response, records, resource) {
      const own = limitOf(response);
      if (own === 0) return;
      if (records > own) {
        throw new ServiceError('batch_too_large', messagesOf(resource).batchBeyondRateLimit(records, own));
      }
      const window = windowOf(callerKey(response));
      const fits = window.totalHits + records - 1 <= own;
      if (fits) window.totalHits += records - 1;
      const seconds = Math.max(1, Math.ceil(leftMsOf(window) / 1_000));
      const left = Math.max(0, own - window.totalHits);
      response.setHeader('RateLimit', `"${rateLimitName}"; r=${left}; t=${seconds}`);
      if (fits) return;
      response.setHeader('Retry-After', seconds);
      throw rejection(seconds);
    },
  };
}

function rejection(seconds: number): ServiceError {
  return new ServiceError('rate_limited', `Too many requests. Try again in ${seconds} seconds.`);
}

/** The requests of a caller within a minute from its first request. */
interface Window {
  totalHits: number;
  /** On the monotonic clock, so that setting the system clock does not change the limit. */
  readonly endsAt: number;
}

const leftMsOf = ({ endsAt }: Window) => endsAt - performance.now();

/** @returns a function that returns the current window of a caller */
function createWindows(): (caller: string) => Window {
  /** In the order of their end times. */
  const windows = new Map<string, Window>();

  return function windowOf(caller) {
    const current = windows.get(caller);
    if (current !== undefined && leftMsOf(current) > 0) return current;
    for (const [other, window] of windows) {
      if (leftMsOf(window) > 0) break;
      windows.delete(other);
    }
    const window = { totalHits: 0, endsAt: performance.now() + windowMs };
    windows.set(caller, window);
    return window;
  };
}
