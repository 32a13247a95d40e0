import type { Request, RequestHandler } from 'express';
import { overloadErrors } from '../../errors/overload-errors.js';
import type { PlantBatcher } from '../../plants/plant-batcher.js';
import { type BodySource, discardBody } from '../body/read-body.js';

/** Rejects creates that the full queue would reject, before their bodies are read: a rejection must cost less than a create. */
export function rejectWhenFull(plants: Pick<PlantBatcher, 'isFull'>): RequestHandler {
  return function rejectWhenFull(request: Request & BodySource, _response, next) {
    if (plants.isFull()) {
      // Node.js would buffer the body until the reply is sent, which matters only where many are rejected.
      discardBody(request);
      throw overloadErrors.waiting_plants;
    }
    next();
  };
}
