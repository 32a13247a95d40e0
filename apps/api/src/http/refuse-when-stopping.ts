import type { RequestHandler } from 'express';
import { ServiceError } from '../service-error.js';

/** Refuses requests that still arrive on open connections once the service is told to stop. */
export function refuseWhenStopping(stopping: AbortSignal): RequestHandler {
  return function refuseWhenStopping(_request, _response, next) {
    if (stopping.aborted) {
      throw new ServiceError('shutting_down', 'The service is shutting down. Try again in 1 second.', {
        retryAfterSeconds: 1,
        headers: { Connection: 'close' },
      });
    }
    next();
  };
}
