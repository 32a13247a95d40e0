import { ServiceError } from '../errors/service-error.js';
import type { QueuedPlant } from './plant-queue.js';
import type { PlantInserter } from './plant-store.js';

/**
 * Inserts a batch and resolves or rejects each of its plants. When the insert fails because of a plant, each half of
 * the batch is inserted separately, so that only that plant is rejected.
 *
 * @returns the error that some or all plants were rejected with because the store is unavailable, if it is
 */
export async function insertBatch(
  store: PlantInserter,
  batch: readonly QueuedPlant[],
): Promise<ServiceError | undefined> {
  try {
    const outcomes = await store.insert(batch.map(({ plant }) => plant));
    for (const [index, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[index];
      if (outcome === undefined) reject(new Error('The store returned no outcome for the plant'));
      else resolve(outcome);
    }
    return undefined;
  } catch (error) {
    if (batch.length === 1 || error instanceof ServiceError) {
      rejectAll(batch, error);
      return error instanceof ServiceError ? error : undefined;
    }
    const middle = Math.ceil(batch.length / 2);
    const outage = await insertBatch(store, batch.slice(0, middle));
    if (outage === undefined) return insertBatch(store, batch.slice(middle));
    rejectAll(batch.slice(middle), outage);
    return outage;
  }
}

function rejectAll(plants: readonly QueuedPlant[], error: unknown): void {
  for (const { reject } of plants) reject(error);
}
