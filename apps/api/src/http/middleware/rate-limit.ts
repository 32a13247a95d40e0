import { messagesOf } from '@plant-store/contract/messages';
import type { Resource } from '@plant-store/contract/resource';
import { ServiceError } from '@plant-store/records';
import type { RequestHandler, Response } from 'express';

import { rateLimitName } from '../../resources.js';
import { callerOf } from './bearer-auth.js';

/**
 * Counts the records of a batch for its caller, and sends how many requests are left. The request itself has already counted as one.
 *
 * @throws {ServiceError} `batch_too_large` when no minute permits so many, `rate_limited` when this one does not any more;
 *   then only the request counts
 */
export type CountBatch = (response: Response, records: number, resource: Resource) => void;

/** How long the requests of a caller are counted, in milliseconds. */
const windowMs = 60_000;

/**
 * Limits how many requests one caller may make in a minute, to the number of its token, if that has one, and sends the RateLimit headers
 * (draft-ietf-httpapi-ratelimit-headers-08). Comes after authentication. Each record of a batch counts as a request.
 *
 * @param requestsPerMinute for tokens without a number of their own, in this process; 0 is no limit
 * @param workers how many processes there are, of which each counts its share of a token's own number
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
          // The library compares this time with the clock at once, for the headers.
          return { totalHits: window.totalHits, resetTime: new Date(Date.now() + leftMsOf(window)) };
        },
        // Each request counts, whatever its reply.
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
  return new ServiceError('rate_limited', `Too many requests. Try again in ${seconds} s.`);
}

/** The requests of a caller in the minute that begins with the first. */
interface Window {
  totalHits: number;
  /** By the monotonic clock: the limit stays the same when the clock of the machine is set. */
  readonly endsAt: number;
}

const leftMsOf = ({ endsAt }: Window) => endsAt - performance.now();

/** @returns what gives the current minute of a caller */
function createWindows(): (caller: string) => Window {
  /** In the order in which they end. */
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
