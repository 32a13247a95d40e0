import type { Plant } from '@plant-store/contract';
import { messages } from '@plant-store/contract/messages';
import { ServiceError } from '../errors/service-error.js';
import type { Caller } from '../runtime/callers.js';
import { isTombstone, removalOf } from '../store/store.js';
import { entityTagOf, namesTag } from './correct-plant.js';
import type { PlantQueue } from './plant-store.js';
import { type Batch, readId, runBatch } from './run-batch.js';

type Changes = Pick<PlantQueue, 'change'>;

/**
 * Deletes the plant with an id. Deleting it again does nothing.
 *
 * @param tags the `If-Match` of the request, if it has one (RFC 9110, section 13.1.1)
 * @throws {ServiceError} `plant_not_found` when there never was one, `precondition_failed` when it is not the one that is meant
 * @throws whatever the queue throws
 */
export async function deletePlant(queue: Changes, id: bigint, caller: Caller, tags = '*'): Promise<void> {
  const removal = removalOf<Plant>(id);
  const { before, after } = await queue.change(
    {
      ...removal,
      replace: (existing) =>
        existing === undefined || isTombstone(existing) || namesTag(tags, entityTagOf(existing))
          ? removal.replace(existing)
          : undefined,
    },
    caller,
  );
  if (before === undefined) throw new ServiceError('plant_not_found', messages.plantNotFound(id));
  if (after === undefined && !isTombstone(before))
    throw new ServiceError('precondition_failed', messages.plantChanged(id, tags));
}

/** Deletes the plants with the ids of a batch, each as `deletePlant` does. */
export function deletePlants(queue: Changes, batch: Batch): Promise<(undefined | ServiceError)[]> {
  return runBatch(batch, async (id) => {
    await deletePlant(queue, readId(id), batch.caller);
    return undefined;
  });
}
