import { messages } from '@plant-store/contract/messages';
import { ServiceError } from '../errors/service-error.js';
import type { Caller } from '../runtime/budget.js';
import { isTombstone } from '../store/store.js';
import type { FindPlant } from './get-plant.js';
import type { PlantWriter } from './plant-store.js';

/**
 * Deletes the plant with an id. Deleting it again does nothing.
 *
 * @throws {ServiceError} `plant_not_found` when there never was one
 * @throws whatever the store throws
 */
export async function deletePlant(
  find: FindPlant,
  writer: Pick<PlantWriter, 'write'>,
  id: bigint,
  caller: Caller,
): Promise<void> {
  const existing = await find(id, caller);
  if (existing === undefined) throw new ServiceError('plant_not_found', messages.plantNotFound(id));
  // An id that is taken stays taken, so it is not looked up again.
  if (!isTombstone(existing)) await writer.write({ id, deleted: true }, caller);
}
