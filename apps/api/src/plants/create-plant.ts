import { type NewPlant, NewPlantSchema, type Plant } from '@plant-store/contract';
import { hasSameFields } from '@plant-store/contract/fields';
import { explainInvalidRequest, messages } from '@plant-store/contract/messages';
import { isTombstone, ServiceError } from '@plant-store/records';

import type { Caller } from '../runtime/callers.js';

import type { CreatePlantOutcome, PlantQueue, StoredPlant } from './plant-store.js';
import { type Batch, runBatch } from './run-batch.js';
import { fingerprintOf } from './update-plant.js';

type Creates = Pick<PlantQueue, 'create'>;

/** That a plant is stored: whether an earlier request had already stored it, and when that was. */
export interface Created {
  readonly replayed: boolean;
  readonly addedAt: number | null;
}

/**
 * Creates a plant (docs/use/api.md, "Plants"). The id is also the idempotency key: creating the same plant again is a
 * replay, and stores nothing.
 *
 * @throws {ServiceError} `id_taken` when a different plant has the id, `id_retired` when it was that of a deleted one; nothing
 * is changed then
 * @throws whatever the queue throws
 */
export async function createPlant(queue: Creates, newPlant: NewPlant, caller: Caller): Promise<Created> {
  const outcome = await queue.create(newPlant, caller);
  if (outcome.stored) return { replayed: false, addedAt: outcome.addedAt };
  const { existing } = outcome;
  if (isTombstone(existing)) throw new ServiceError('id_retired', messages.idRetired(newPlant.id));
  if (isReplay(existing, newPlant)) return { replayed: true, addedAt: existing.addedAt ?? null };
  throw new ServiceError('id_taken', messages.idTaken(newPlant.id));
}

/** Whether a plant is the one that another one was created as, whatever it has been updated to. */
export function isReplay({ original, ...existing }: StoredPlant, created: Plant): boolean {
  return original === undefined ? hasSameFields(existing, created) : original === fingerprintOf(created);
}

/** Creates the plants of a batch, each as `createPlant` does, those of one id as if one after the other. */
export function createPlants(queue: Creates, batch: Batch): Promise<(Created | ServiceError)[]> {
  const inOrder = createInOrder(queue);
  return runBatch(batch, async (plant) => {
    const { data, error } = NewPlantSchema.safeParse(plant);
    if (data !== undefined) return createPlant(inOrder, data, batch.caller);
    const { errorName, message } = explainInvalidRequest({ body: error.issues });
    throw new ServiceError(errorName, message);
  });
}

/**
 * Creates of several plants with one id only the first, since those that are in flight together may be stored in any order. What
 * becomes of the others follows from it.
 */
function createInOrder(queue: Creates): Creates {
  const first = new Map<bigint, () => Promise<CreatePlantOutcome>>();
  return {
    create(plant, caller) {
      const afterFirst = first.get(plant.id);
      if (afterFirst !== undefined) return afterFirst();
      const created = queue.create(plant, caller);
      first.set(plant.id, async () => {
        const outcome = await created;
        if (!outcome.stored) return outcome;
        return { stored: false, existing: { ...plant, addedAt: outcome.addedAt } };
      });
      return created;
    },
  };
}
