import type { RequestHandler } from 'express';
import { ServiceError } from '../service-error.js';

/** Refuses HTTP/1.1 requests without a Host header (RFC 9112, section 3.2); Node would answer them with no body. */
export const requireHost: RequestHandler = (request, _response, next) => {
  if (request.httpVersion === '1.1' && request.headers.host === undefined) {
    throw new ServiceError('bad_request', 'The request has no Host header, which HTTP/1.1 requires.');
  }
  next();
};
