import type { RequestHandler } from 'express';

/**
 * One middleware of several, each called by the one before it. They are taken together because Express compares the
 * path anew before each that it is given. They throw their faults or hand them on; of a promise nobody would hear.
 */
export function compose(...handlers: readonly RequestHandler[]): RequestHandler {
  return handlers.reduceRight<RequestHandler>(
    (rest, first) => (request, response, next) =>
      first(request, response, (error?: unknown) => (error ? next(error) : rest(request, response, next))),
    (_request, _response, next) => next(),
  );
}
