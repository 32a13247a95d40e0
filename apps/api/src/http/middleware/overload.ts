import { ServiceError } from '@plant-store/records';
import type { Request, RequestHandler } from 'express';
import { overloadErrors, waitingRecords } from '../../errors/service-error.js';
import { type BodySource, discardBody } from '../json-body.js';
import type { RecordQueue } from '../routes/records.js';
import { callerOf } from './bearer-auth.js';

/** The phases of a shutdown: the service drains first, then stops. */
export interface Shutdown {
  /** Aborted once load balancers should send no more requests. The service still answers requests that arrive. */
  readonly draining: AbortSignal;
  /** Aborted once no more requests are accepted. */
  readonly stopping: AbortSignal;
}

/**
 * While the service drains, closes each connection after its next reply. Once the service is stopping, rejects requests that still arrive
 * on open connections.
 */
export function rejectDuringShutdown({ draining, stopping }: Shutdown): RequestHandler {
  return function rejectDuringShutdown(_request, response, next) {
    if (stopping.aborted) {
      throw new ServiceError('shutting_down', 'The service is shutting down. Try again in 1 second.', {
        retryAfterSeconds: 1,
        headers: { Connection: 'close' },
      });
    }
    if (draining.aborted) response.setHeader('Connection', 'close');
    next();
  };
}

/** Rejects writes that the queue would reject, before their bodies are read, because a rejection must cost less than a create. */
export function rejectWhenFull(queue: Pick<RecordQueue, 'isFull'>): RequestHandler {
  return function rejectWhenFull(request: Request & BodySource, { locals }, next) {
    if (queue.isFull(callerOf(locals))) {
      // Node.js would buffer the body until the reply is sent, which matters if many requests are rejected.
      discardBody(request);
      throw overloadErrors[waitingRecords];
    }
    next();
  };
}
