import type { RequestHandler } from 'express';
import type { Store } from 'express-rate-limit';
import { ServiceError } from '../../errors/service-error.js';
import { callerOf } from './bearer-auth.js';

/** Counts the requests of each caller. */
export type RequestCounts = Pick<Store, 'increment' | 'decrement' | 'resetKey'>;

/** How long the requests of a caller are counted, in milliseconds. */
export const windowMs = 60_000;

/**
 * Limits how many requests one caller may make in a minute, and sends the RateLimit headers
 * (draft-ietf-httpapi-ratelimit-headers-08). Comes after authentication.
 *
 * @param store where they are counted; in this process by default
 */
export async function rateLimit(requestsPerMinute: number, store?: RequestCounts): Promise<RequestHandler> {
  // Loaded only when needed: most services have no limit, and start faster without it.
  const { rateLimit: createRateLimit } = await import('express-rate-limit');
  return createRateLimit({
    windowMs,
    limit: requestsPerMinute,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    identifier: 'plants',
    ...(store !== undefined && { store }),
    keyGenerator: (_request, response) => String(callerOf(response.locals)),
    handler(_request, response) {
      const seconds = Number(response.getHeader('Retry-After'));
      throw new ServiceError('rate_limited', `Too many requests. Try again in ${seconds} s.`);
    },
  });
}
