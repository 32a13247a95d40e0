import type { RequestHandler } from 'express';
import { ServiceError } from '../../errors/service-error.js';
import { callerOf } from '../request-context.js';

const windowMs = 60_000;

/**
 * Limits how many requests one caller may make in a minute, and sends the RateLimit headers
 * (draft-ietf-httpapi-ratelimit-headers-08). Comes after authentication.
 */
export async function rateLimit(requestsPerMinute: number): Promise<RequestHandler> {
  // Loaded only when needed: most services have no limit, and start faster without it.
  const { rateLimit: createRateLimit } = await import('express-rate-limit');
  return createRateLimit({
    windowMs,
    limit: requestsPerMinute,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    identifier: 'plants',
    keyGenerator: (_request, response) => String(callerOf(response.locals)),
    handler(_request, response) {
      const seconds = Number(response.getHeader('Retry-After'));
      throw new ServiceError('rate_limited', `Too many requests. Try again in ${seconds} s.`);
    },
  });
}
