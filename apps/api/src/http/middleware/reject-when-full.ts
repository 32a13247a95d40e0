import type { RequestHandler } from 'express';
import { overloadErrors } from '../../errors/overload-errors.js';
import type { PlantBatcher } from '../../plants/plant-batcher.js';
import { type BodySource, discardBody } from '../body/read-body.js';

/** Rejects creates that the full queue would reject, before their bodies are read: a rejection must cost less than a create. */
export function rejectWhenFull(plants: Pick<PlantBatcher, 'isFull'>): RequestHandler {
  return function rejectWhenFull(request: Parameters<RequestHandler>[0] & BodySource, _response, next) {
    if (plants.isFull()) {
      discardBody(request);
      throw overloadErrors.waiting_plants;
    }
    next();
  };
}
