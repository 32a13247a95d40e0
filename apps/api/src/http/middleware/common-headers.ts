import type { RequestHandler } from 'express';
import { securityHeaders } from '../security-headers.js';

/**
 * Sets the headers that every reply has: the security headers and the request id. With the fast path `sendJson` writes
 * them together with the body instead.
 */
export function commonHeaders(): RequestHandler {
  const headers = securityHeaders();
  return function commonHeaders(request, response, next) {
    response.set(headers).set('X-Request-Id', request.id);
    next();
  };
}
