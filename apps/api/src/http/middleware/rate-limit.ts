import { messagesOf } from '@plant-store/contract/messages';
import type { Resource } from '@plant-store/contract/resource';
import { ServiceError } from '@plant-store/records';
import type { RequestHandler, Response } from 'express';
import { rateLimitName } from '../../resources.js';
import type { Caller } from '../../runtime/callers.js';
import { callerOf } from './bearer-auth.js';

/**
 * Counts the records of a batch toward the caller's limit, and sends the number of requests left. The request itself has already counted as
 * one.
 *
 * @throws {ServiceError} `batch_too_large` when the batch exceeds the limit per minute, `rate_limited` when it exceeds what is left of it;
 *   then only the request counts
 */
export type CountBatch = (response: Response, records: number, resource: Resource) => void;

/** How long the requests of a caller are counted, in seconds. */
const windowSeconds = 60;

/** The requests of a caller within a minute from its first request. */
interface Window {
  requests: number;
  /** On the monotonic clock, so that setting the system clock does not change the limit. */
  readonly endsAt: number;
}

/**
 * Limits the requests of each caller per minute, to the limit of its token if it has one, and sends the RateLimit headers
 * (draft-ietf-httpapi-ratelimit-headers-08). Comes after authentication. Each record of a batch counts as a request.
 *
 * @param requestsPerMinute the limit in this process for tokens without their own limit; 0 is no limit
 * @param workers the number of processes; each enforces its share of a token's own limit
 */
export function rateLimit(
  requestsPerMinute: number,
  workers: number,
): { readonly middleware: RequestHandler; readonly countBatch: CountBatch } {
  /** In the order of their end times. */
  const windows = new Map<Caller, Window>();
  const leftMsOf = ({ endsAt }: Window) => endsAt - performance.now();

  function limitOf({ locals: { accessToken } }: Response): number {
    const own = accessToken?.ratePerMinute;
    return own ? Math.max(1, Math.floor(own / workers)) : requestsPerMinute;
  }

  function windowOf(caller: Caller): Window {
    const current = windows.get(caller);
    if (current !== undefined && leftMsOf(current) > 0) return current;
    for (const [other, window] of windows) {
      if (leftMsOf(window) > 0) break;
      windows.delete(other);
    }
    const window = { requests: 0, endsAt: performance.now() + windowSeconds * 1_000 };
    windows.set(caller, window);
    return window;
  }

  /** Counts requests, unless they exceed the limit, and sends how many are left. */
  function count(response: Response, limit: number, requests: number): void {
    const window = windowOf(callerOf(response.locals));
    const fits = window.requests + requests <= limit;
    if (fits) window.requests += requests;
    const seconds = Math.max(1, Math.ceil(leftMsOf(window) / 1_000));
    const left = Math.max(0, limit - window.requests);
    response.setHeader('RateLimit', `"${rateLimitName}"; r=${left}; t=${seconds}`);
    if (fits) return;
    const message = `Too many requests. Try again in ${seconds} seconds.`;
    throw new ServiceError('rate_limited', message, { retryAfterSeconds: seconds });
  }

  return {
    middleware(_request, response, next) {
      const limit = limitOf(response);
      if (limit > 0) {
        response.setHeader('RateLimit-Policy', `"${rateLimitName}"; q=${limit}; w=${windowSeconds}`);
        count(response, limit, 1);
      }
      next();
    },
    countBatch(response, records, resource) {
      const limit = limitOf(response);
      if (limit === 0) return;
      if (records > limit)
        throw new ServiceError('batch_too_large', messagesOf(resource).batchBeyondRateLimit(records, limit));
      count(response, limit, records - 1);
    },
  };
}
