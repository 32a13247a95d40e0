import type { RequestHandler } from 'express';
import { ServiceError } from '../../errors/service-error.js';

/** Rejects HTTP/1.1 requests without exactly one Host header (RFC 9112, section 3.2); Node.js would send no body. */
export const requireHost: RequestHandler = (request, _response, next) => {
  if (request.httpVersion === '1.1' && countHosts(request.rawHeaders) !== 1) {
    throw new ServiceError('bad_request', 'The request must have one Host header, as HTTP/1.1 requires.');
  }
  next();
};

/** Counts the Host headers; names are at the even indexes. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') count++;
  }
  return count;
}
