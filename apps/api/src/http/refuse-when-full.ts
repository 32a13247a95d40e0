import type { RequestHandler } from 'express';
import { overloadErrors } from '../overload-error.js';
import type { PlantWriter } from '../plants/plant-writer.js';
import { type BodySource, discardBody } from './read-body.js';

/** Refuses creates that the writer would refuse, before their bodies are read: a refusal must cost less than a create. */
export function refuseWhenFull(plants: Pick<PlantWriter, 'isFull'>): RequestHandler {
  return function refuseWhenFull(request: Parameters<RequestHandler>[0] & BodySource, _response, next) {
    if (plants.isFull()) {
      discardBody(request);
      throw overloadErrors.waiting_plants;
    }
    next();
  };
}
