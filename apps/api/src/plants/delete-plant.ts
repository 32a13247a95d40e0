import { messages } from '@plant-store/contract/messages';
import { ServiceError } from '../errors/service-error.js';
import type { Caller } from '../runtime/callers.js';
import { removalOf } from '../store/store.js';
import type { PlantQueue } from './plant-store.js';
import { type Batch, readId, runBatch } from './run-batch.js';

type Changes = Pick<PlantQueue, 'change'>;

/**
 * Deletes the plant with an id. Deleting it again does nothing.
 *
 * @throws {ServiceError} `plant_not_found` when there never was one
 * @throws whatever the queue throws
 */
export async function deletePlant(queue: Changes, id: bigint, caller: Caller): Promise<void> {
  const { before, after } = await queue.change(removalOf(id), caller);
  if ((before ?? after) === undefined) throw new ServiceError('plant_not_found', messages.plantNotFound(id));
}

/** Deletes the plants with the ids of a batch, each as `deletePlant` does. */
export function deletePlants(queue: Changes, batch: Batch): Promise<(undefined | ServiceError)[]> {
  return runBatch(batch, async (id) => {
    await deletePlant(queue, readId(id), batch.caller);
    return undefined;
  });
}
