import type { NewPlant, Plant } from '@plant-store/contract';
import { hasSameFields } from '@plant-store/contract/fields';
import { messages } from '@plant-store/contract/messages';
import { ServiceError } from '../errors/service-error.js';
import type { Caller } from '../runtime/budget.js';
import { isTombstone } from '../store/store.js';
import type { PlantWriter } from './plant-store.js';

/** The result of a create: the plant, and whether an earlier request had already stored it. */
interface CreatedPlant {
  readonly plant: Plant;
  readonly replayed: boolean;
}

/**
 * Creates a plant (API: Create plant, rule 1). The id is also the idempotency key: creating the same plant again is a
 * replay, and stores nothing.
 *
 * @throws {ServiceError} `id_taken` when a different plant has the id, `id_retired` when it was that of a deleted one; nothing
 * is changed then
 * @throws whatever the writer throws
 */
export async function createPlant(
  writer: Pick<PlantWriter, 'write'>,
  newPlant: NewPlant,
  caller: Caller,
): Promise<CreatedPlant> {
  const outcome = await writer.write(newPlant, caller);
  if (outcome.stored) return { plant: toPlant(newPlant), replayed: false };
  if (isTombstone(outcome.existing)) throw new ServiceError('id_retired', messages.idRetired(newPlant.id));
  if (hasSameFields(outcome.existing, newPlant)) return { plant: toPlant(newPlant), replayed: true };
  throw new ServiceError('id_taken', messages.idTaken(newPlant.id));
}

/** The Plant shape, which has no id (API: Resources, rule 2). */
function toPlant({ id: _, ...plant }: NewPlant): Plant {
  return plant;
}
