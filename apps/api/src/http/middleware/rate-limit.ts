import { messagesOf } from '@plant-store/contract/messages';
import type { Resource } from '@plant-store/contract/resource';
import { ServiceError } from '@plant-store/records';
import type { RequestHandler, Response } from 'express';
import { rateLimitName } from '../../resources.js';
import type { Caller } from '../../runtime/callers.js';
import { callerOf } from './bearer-auth.js';

/**
 * Counts a batch's records toward the caller's limit, and sends the number of remaining requests. The request itself has already counted as
 * one.
 *
 * @throws {ServiceError} `batch_too_large` when the batch exceeds the limit per minute, or `rate_limited` when it exceeds the remaining
 *   requests. Then only the request itself counts
 */
export type CountBatch = (response: Response, records: number, resource: Resource) => void;

/** The length of the window in which a caller's requests are counted, in seconds. */
const windowSeconds = 60;

/** The requests of a caller within a minute from its first request. */
interface Window {
  requests: number;
  /** On the monotonic clock, so that setting the system clock does not change the limit. */
  readonly endsAt: number;
}

/**
 * Limits the requests of each caller per minute, to the limit of its token if it has one, and sends the RateLimit headers
 * (draft-ietf-httpapi-ratelimit-headers-08). Must run after authentication. Each record of a batch counts as a request.
 *
 * @param requestsPerMinute the limit in this process for tokens without their own limit; 0 means no limit
 * @param workers the number of processes; each enforces its share of a token's own limit
 */
export function rateLimit(
  requestsPerMinute: number,
  workers: number,
): { readonly middleware: RequestHandler; readonly countBatch: CountBatch } {
  /** In the order of their end times. */
  const windows = new Map<Caller, Window>();
  const remainingMsOf = ({ endsAt }: Window) => endsAt - performance.now();

  function limitOf({ locals: { accessToken } }: Response): number {
    const tokenLimit = accessToken?.ratePerMinute;
    return tokenLimit ? Math.max(1, Math.floor(tokenLimit / workers)) : requestsPerMinute;
  }

  function windowOf(caller: Caller): Window {
    const current = windows.get(caller);
    if (current !== undefined && remainingMsOf(current) > 0) return current;
    for (const [other, window] of windows) {
      if (remainingMsOf(window) > 0) break;
      windows.delete(other);
    }
    const window = { requests: 0, endsAt: performance.now() + windowSeconds * 1_000 };
    windows.set(caller, window);
    return window;
  }

  /** Counts requests, unless they exceed the limit, and sends how many remain. */
  function countRequests(response: Response, limit: number, requests: number): void {
    const window = windowOf(callerOf(response.locals));
    const fits = window.requests + requests <= limit;
    if (fits) window.requests += requests;
    const seconds = Math.max(1, Math.ceil(remainingMsOf(window) / 1_000));
    const remaining = Math.max(0, limit - window.requests);
    response.setHeader('RateLimit', `"${rateLimitName}"; r=${remaining}; t=${seconds}`);
    if (fits) return;
    const message = `Too many requests. Try again in ${seconds} seconds.`;
    throw new ServiceError('rate_limited', message, { retryAfterSeconds: seconds });
  }

  return {
    middleware(_request, response, next) {
      const limit = limitOf(response);
      if (limit > 0) {
        response.setHeader('RateLimit-Policy', `"${rateLimitName}"; q=${limit}; w=${windowSeconds}`);
        countRequests(response, limit, 1);
      }
      next();
    },
    countBatch(response, records, resource) {
      const limit = limitOf(response);
      if (limit === 0) return;
      if (records > limit)
        throw new ServiceError('batch_too_large', messagesOf(resource).batchBeyondRateLimit(records, limit));
      countRequests(response, limit, records - 1);
    },
  };
}
