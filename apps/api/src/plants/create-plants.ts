import { type CreateResult, NewPlantSchema } from '@plant-store/contract';
import { explainInvalidRequest } from '@plant-store/contract/messages';
import { internalError, ServiceError } from '../errors/service-error.js';
import type { Caller } from '../runtime/budget.js';
import { createPlant } from './create-plant.js';
import type { PlantOutcome, PlantWriter } from './plant-store.js';

/**
 * Creates plants, each as `createPlant` does, all of them at the same time, those of one id as if one after the other.
 *
 * @param plants what the request has, not validated
 * @param awaitTurn resolves, when some of those that are left may be validated and queued, to how many
 * @param onError called with what is not an error of the registry
 * @returns a result for each plant, in order; none stops the others
 */
export async function createPlants(
  writer: PlantWriter,
  plants: readonly unknown[],
  caller: Caller,
  awaitTurn: (left: number) => Promise<number>,
  onError: (error: unknown) => void,
): Promise<CreateResult[]> {
  const inOrder = writeInOrder(writer);
  const results: Promise<CreateResult>[] = [];
  while (results.length < plants.length) {
    const count = await awaitTurn(plants.length - results.length);
    for (const plant of plants.slice(results.length, results.length + count))
      results.push(createOne(inOrder, plant, caller, onError));
  }
  return Promise.all(results);
}

/**
 * Writes of several plants with one id only the first, since those that are in flight together may be stored in any order. What
 * becomes of the others follows from it.
 */
function writeInOrder(writer: PlantWriter): Pick<PlantWriter, 'write'> {
  const firstWrites = new Map<bigint, () => Promise<PlantOutcome>>();
  return {
    write(record, caller) {
      const afterFirst = firstWrites.get(record.id);
      if (afterFirst !== undefined) return afterFirst();
      const written = writer.write(record, caller);
      firstWrites.set(record.id, async () => {
        const outcome = await written;
        return outcome.stored ? { stored: false, existing: record } : outcome;
      });
      return written;
    },
  };
}

async function createOne(
  writer: Pick<PlantWriter, 'write'>,
  plant: unknown,
  caller: Caller,
  onError: (error: unknown) => void,
): Promise<CreateResult> {
  try {
    const { data, error } = NewPlantSchema.safeParse(plant);
    if (data === undefined) {
      const { errorName, message } = explainInvalidRequest({ body: error.issues });
      throw new ServiceError(errorName, message);
    }
    const { replayed } = await createPlant(writer, data, caller);
    return { status: 200, replayed };
  } catch (error) {
    if (!(error instanceof ServiceError)) onError(error);
    const { status, number, message } = error instanceof ServiceError ? error : internalError(error);
    // A create is rejected with no other one.
    return { status, error: number, message } as CreateResult;
  }
}
