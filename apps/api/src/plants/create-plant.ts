import type { NewPlant } from '@plant-store/contract';
import { hasSameFields } from '@plant-store/contract/fields';
import { messages } from '@plant-store/contract/messages';
import { ServiceError } from '../errors/service-error.js';
import type { Caller } from '../runtime/callers.js';
import { isTombstone } from '../store/store.js';
import type { PlantQueue } from './plant-store.js';

/**
 * Creates a plant (docs/use/api.md, "Plants"). The id is also the idempotency key: creating the same plant again is a
 * replay, and stores nothing.
 *
 * @returns whether an earlier request had already stored it
 * @throws {ServiceError} `id_taken` when a different plant has the id, `id_retired` when it was that of a deleted one; nothing
 * is changed then
 * @throws whatever the queue throws
 */
export async function createPlant(
  queue: Pick<PlantQueue, 'create'>,
  newPlant: NewPlant,
  caller: Caller,
): Promise<{ readonly replayed: boolean }> {
  const outcome = await queue.create(newPlant, caller);
  if (outcome.stored) return { replayed: false };
  if (isTombstone(outcome.existing)) throw new ServiceError('id_retired', messages.idRetired(newPlant.id));
  if (hasSameFields(outcome.existing, newPlant)) return { replayed: true };
  throw new ServiceError('id_taken', messages.idTaken(newPlant.id));
}
