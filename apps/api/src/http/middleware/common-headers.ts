import type { Request, RequestHandler, Response } from 'express';
import { securityHeaders } from '../security-headers.js';

/** Sets the headers that every reply has. With the fast path `sendJson` writes them together with the body instead. */
export const commonHeaders: RequestHandler = (request, response, next) => {
  setCommonHeaders(request, response);
  next();
};

/** Sets the request id and the security headers, or others in place of these. */
export function setCommonHeaders(request: Request, response: Response, headers = securityHeaders): void {
  response.set(headers).set('X-Request-Id', request.id);
}
