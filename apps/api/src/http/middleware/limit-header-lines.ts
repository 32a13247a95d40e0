import type { RequestHandler } from 'express';
import { ServiceError } from '../../errors/service-error.js';

/** How many header lines a request may have. */
export const headerLinesLimit = 2_000;

/**
 * Rejects requests with more header lines than the limit. `server.maxHeadersCount` must be larger: beyond it, current
 * releases of Node.js reject a request, but earlier ones drop the rest of its headers, a second Host included.
 */
export const limitHeaderLines: RequestHandler = (request, _response, next) => {
  // Names and values alternate.
  if (request.rawHeaders.length > 2 * headerLinesLimit) {
    throw new ServiceError(
      'bad_request',
      `The request is not valid HTTP: it has more than ${headerLinesLimit} header lines.`,
    );
  }
  next();
};
