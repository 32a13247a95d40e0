import type { RequestHandler } from 'express';

/**
 * Makes one middleware of several, each called by the one before it, since Express matches the path again for each that
 * it is given. They must throw errors or pass them to `next`; a rejected promise would be ignored.
 */
export function compose(...handlers: readonly RequestHandler[]): RequestHandler {
  return handlers.reduceRight<RequestHandler>(
    (rest, first) => (request, response, next) =>
      first(request, response, (error?: unknown) => (error ? next(error) : rest(request, response, next))),
    (_request, _response, next) => next(),
  );
}
