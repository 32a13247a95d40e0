import type { RequestHandler } from 'express';
import { ServiceError } from '../../errors/service-error.js';

/** Rejects requests that still arrive on open connections once the service is stopping. */
export function rejectDuringShutdown(stopping: AbortSignal): RequestHandler {
  return function rejectDuringShutdown(_request, _response, next) {
    if (stopping.aborted) {
      throw new ServiceError('shutting_down', 'The service is shutting down. Try again in 1 second.', {
        retryAfterSeconds: 1,
        headers: { Connection: 'close' },
      });
    }
    next();
  };
}
