import type { Plant } from '@plant-store/contract';
import { type Conditions, findFailedCondition } from '@plant-store/contract/conditions';
import { messages } from '@plant-store/contract/messages';
import { isTombstone, removalOf, ServiceError } from '@plant-store/records';

import type { Caller } from '../runtime/callers.js';

import type { PlantQueue, PlantRecord } from './plant-store.js';
import { type Batch, readId, runBatch } from './run-batch.js';
import { conditionFailed, entityTagOf } from './update-plant.js';

type Changes = Pick<PlantQueue, 'change'>;

/**
 * Deletes the plant with an id. Deleting it again does nothing.
 *
 * @param conditions those of the request (RFC 9110, section 13.1)
 * @throws {ServiceError} `plant_not_found` when there never was one, `precondition_failed` when a condition is false
 * @throws whatever the queue throws
 */
export async function deletePlant(
  queue: Changes,
  id: bigint,
  caller: Caller,
  conditions: Conditions = {},
): Promise<void> {
  const removal = removalOf<Plant>(id);
  const findFailed = (existing: PlantRecord | undefined) =>
    existing === undefined || isTombstone(existing)
      ? undefined
      : findFailedCondition(conditions, entityTagOf(existing));
  const { before } = await queue.change(
    {
      ...removal,
      replace: (existing) => (findFailed(existing) === undefined ? removal.replace(existing) : undefined),
    },
    caller,
  );
  if (before === undefined) throw new ServiceError('plant_not_found', messages.plantNotFound(id));
  const failed = findFailed(before);
  if (failed !== undefined) throw conditionFailed(failed, id);
}

/** Deletes the plants with the ids of a batch, each as `deletePlant` does. */
export function deletePlants(queue: Changes, batch: Batch): Promise<(undefined | ServiceError)[]> {
  return runBatch(batch, async (id) => {
    await deletePlant(queue, readId(id), batch.caller);
    return undefined;
  });
}
