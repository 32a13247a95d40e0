import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import { hideAccessTokens } from '../../auth/access-token-format.js';

/** What is taken over from a caller: short, and safe to print anywhere, so no access token either. */
function isAcceptable(proposed: string): boolean {
  return /^[\w.:-]{1,64}$/.test(proposed) && hideAccessTokens(proposed) === proposed;
}

/**
 * Names each request: by the caller's `X-Request-Id` when that is up to 64 letters, digits and `_.:-`, otherwise by
 * a new UUID. The reply and every log line bear the name.
 */
export function requestId(): RequestHandler {
  return function requestId(request, _response, next) {
    const proposed = request.get('X-Request-Id');
    request.id = proposed !== undefined && isAcceptable(proposed) ? proposed : randomUUID();
    next();
  };
}
