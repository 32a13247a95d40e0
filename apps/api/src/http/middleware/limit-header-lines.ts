import type { RequestHandler } from 'express';
import { ServiceError } from '../../errors/service-error.js';

/** How many header lines a request may have. */
export const headerLinesLimit = 2_000;

/**
 * Refuses requests with more header lines than the limit. Past `server.maxHeadersCount`, which must therefore be larger,
 * current releases of Node.js refuse a request, but earlier ones of the same lines drop the rest, a second Host too.
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
