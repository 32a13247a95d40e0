import type { RequestHandler } from 'express';
import { ServiceError } from '../../errors/service-error.js';

/** How many header lines a request may have. */
export const headerLinesLimit = 2_000;

/**
 * Rejects requests with more header lines than the limit, and HTTP/1.1 requests without exactly one Host header (RFC 9112,
 * section 3.2), to which Node.js would send a reply without a body.
 *
 * `server.maxHeadersCount` must be larger than the limit: beyond it, current releases of Node.js reject a request, but
 * earlier ones drop the rest of its headers, a second Host included.
 */
export const checkHeaders: RequestHandler = (request, _response, next) => {
  // Names and values alternate.
  if (request.rawHeaders.length > 2 * headerLinesLimit) {
    throw new ServiceError(
      'bad_request',
      `The request is not valid HTTP: it has more than ${headerLinesLimit} header lines.`,
    );
  }
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
