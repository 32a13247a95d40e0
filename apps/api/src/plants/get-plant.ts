import { messages } from '@plant-store/contract/messages';
import { overloadErrors, ServiceError } from '../errors/service-error.js';
import { isTombstone, type PlantReader, type StoredPlant, type StoredRecord } from './plant-store.js';

/** Finds what has an id. */
export type FindPlant = (id: bigint) => Promise<StoredRecord | undefined>;

/**
 * Returns the plant with an id.
 *
 * @throws {ServiceError} `plant_not_found` when there is none
 * @throws whatever the store throws
 */
export async function getPlant(find: FindPlant, id: bigint): Promise<StoredPlant> {
  const plant = await find(id);
  if (plant === undefined || isTombstone(plant))
    throw new ServiceError('plant_not_found', messages.plantNotFound(id));
  return plant;
}

/** How many plants one query finds at most, and how many requests may wait for one. */
const maxFound = 100;
const maxWaiting = 10_000;

/**
 * Creates a function that finds plants one by one, with one query for all that are asked for in a turn of the event loop, or
 * while an earlier query is in flight.
 */
export function createFindPlant(store: Pick<PlantReader, 'find'>): FindPlant {
  let waiting: PromiseWithResolvers<StoredRecord | undefined>[] = [];
  let ids: bigint[] = [];
  let isBusy = false;

  async function findAll(): Promise<void> {
    for (;;) {
      const found = waiting.slice(0, maxFound);
      const asked = ids.slice(0, maxFound);
      if (found.length === 0) break;
      waiting = waiting.slice(maxFound);
      ids = ids.slice(maxFound);
      try {
        const plants = new Map((await store.find([...new Set(asked)])).map((plant) => [plant.id, plant]));
        for (const [index, { resolve }] of found.entries()) resolve(plants.get(asked[index] ?? 0n));
      } catch (error) {
        for (const { reject } of found) reject(error);
      }
    }
    isBusy = false;
  }

  return function findPlant(id) {
    if (waiting.length >= maxWaiting) return Promise.reject(overloadErrors.waiting_reads);
    const result = Promise.withResolvers<StoredRecord | undefined>();
    waiting.push(result);
    ids.push(id);
    if (!isBusy) {
      isBusy = true;
      setImmediate(findAll);
    }
    return result.promise;
  };
}
