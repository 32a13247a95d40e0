import { type NewPlant, NewPlantSchema, type Plant } from '@plant-store/contract';
import { hasSameFields } from '@plant-store/contract/fields';
import { explainInvalidRequest, messages } from '@plant-store/contract/messages';
import { internalError, ServiceError } from '../errors/service-error.js';
import type { Caller } from '../runtime/callers.js';
import { isTombstone } from '../store/store.js';
import { fingerprintOf } from './correct-plant.js';
import type { CreatePlantOutcome, PlantQueue, StoredPlant } from './plant-store.js';

type Creates = Pick<PlantQueue, 'create'>;

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
  queue: Creates,
  newPlant: NewPlant,
  caller: Caller,
): Promise<{ readonly replayed: boolean }> {
  const outcome = await queue.create(newPlant, caller);
  if (outcome.stored) return { replayed: false };
  if (isTombstone(outcome.existing)) throw new ServiceError('id_retired', messages.idRetired(newPlant.id));
  if (isReplay(outcome.existing, newPlant)) return { replayed: true };
  throw new ServiceError('id_taken', messages.idTaken(newPlant.id));
}

/** Whether a plant is the one that another one was created as, whatever it has been corrected to. */
export function isReplay({ original, ...existing }: StoredPlant, created: Plant): boolean {
  return original === undefined ? hasSameFields(existing, created) : original === fingerprintOf(created);
}

/** What became of one plant: whether an earlier request had already stored it, or why it is not stored. */
export type CreatedOrRejected = { readonly replayed: boolean } | ServiceError;

/**
 * Creates plants, each as `createPlant` does, all of them at the same time, those of one id as if one after the other.
 *
 * @param plants what the request has, not validated
 * @param awaitTurn resolves, when some of those that are left may be validated and queued, to how many
 * @returns what became of each plant, in order; none stops the others
 */
export async function createPlants(
  queue: Creates,
  plants: readonly unknown[],
  caller: Caller,
  awaitTurn: (left: number) => Promise<number>,
): Promise<CreatedOrRejected[]> {
  const inOrder = createInOrder(queue);
  const results: Promise<CreatedOrRejected>[] = [];
  while (results.length < plants.length) {
    const count = await awaitTurn(plants.length - results.length);
    for (const plant of plants.slice(results.length, results.length + count))
      results.push(createOne(inOrder, plant, caller));
  }
  return Promise.all(results);
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
        return outcome.stored ? { stored: false, existing: plant } : outcome;
      });
      return created;
    },
  };
}

async function createOne(queue: Creates, plant: unknown, caller: Caller): Promise<CreatedOrRejected> {
  try {
    const { data, error } = NewPlantSchema.safeParse(plant);
    if (data === undefined) {
      const { errorName, message } = explainInvalidRequest({ body: error.issues });
      throw new ServiceError(errorName, message);
    }
    return await createPlant(queue, data, caller);
  } catch (error) {
    return error instanceof ServiceError ? error : internalError(error);
  }
}
