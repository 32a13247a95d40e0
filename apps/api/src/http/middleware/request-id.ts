import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import { hideAccessTokens } from '../../auth/access-token-format.js';

/**
 * Gives each request an id: the caller's `X-Request-Id` when that is up to 64 letters, digits and `_.:-`, otherwise a new
 * UUID. The reply and the log lines have it.
 */
export const requestId: RequestHandler = (request, _response, next) => {
  const proposed = request.get('X-Request-Id');
  request.id = proposed !== undefined && isAcceptable(proposed) ? proposed : randomUUID();
  next();
};

/** Whether an id from a caller is used: short, and safe to print anywhere, so not an access token. */
function isAcceptable(proposed: string): boolean {
  return /^[\w.:-]{1,64}$/.test(proposed) && hideAccessTokens(proposed) === proposed;
}
