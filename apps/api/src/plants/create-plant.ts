import type { NewPlant, Plant } from '@plant-store/contract';
import { ServiceError } from '../errors/service-error.js';
import { isSamePlant } from './is-same-plant.js';
import type { PlantBatcher } from './plant-batcher.js';

/** What a create answers: the plant, and whether it had been stored by an earlier request. */
export interface CreatedPlant {
  readonly plant: Plant;
  readonly replayed: boolean;
}

/**
 * Creates a plant (interface: Create plant, rule 1). The id is also the key of the request: the same plant again
 * is a replay, stored once.
 *
 * @throws {ServiceError} `id_taken` when another plant has the id; nothing is changed then
 * @throws whatever the writer throws
 */
export async function createPlant(writer: PlantBatcher, newPlant: NewPlant): Promise<CreatedPlant> {
  const outcome = await writer.write(newPlant);
  if (outcome.stored) return { plant: show(newPlant), replayed: false };
  if (isSamePlant(outcome.existing, newPlant)) return { plant: show(newPlant), replayed: true };
  throw new ServiceError('id_taken', `The id ${newPlant.id} belongs to another plant. Choose another id.`);
}

/** The Plant shape, which has no id (interface: Resources, rule 2). */
function show({ name, tag }: NewPlant): Plant {
  return tag === undefined ? { name } : { name, tag };
}
