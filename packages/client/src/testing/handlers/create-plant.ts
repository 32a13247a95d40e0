import { messages } from '@plant-store/contract/messages';
import { ServiceError } from '../service-error.js';
import type { Handler } from './handler.js';

/** Stores a plant. The id is also the key of the request: the same plant again is a replay, stored once. */
export const createPlant: Handler<'createPlant'> = ({ body: { id, name, tag } }, { plants }) => {
  const plant = tag === undefined ? { name } : { name, tag };
  const existing = plants.get(id);
  if (existing === undefined) {
    plants.set(id, plant);
    return { status: 200, body: plant };
  }
  if (existing.name === name && existing.tag === tag) {
    return { status: 200, body: plant, headers: { 'Idempotent-Replayed': 'true' } };
  }
  throw new ServiceError('id_taken', messages.idTaken(id));
};
