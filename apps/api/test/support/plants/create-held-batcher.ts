import { createPlantBatcher, type PlantBatcherLimits } from '../../../src/plants/plant-batcher.js';
import type { PlantInserter } from '../../../src/plants/plant-store.js';
import { highBatcherLimits, stored } from './create-test-store.js';

/** A batcher over a store whose inserts stay in flight until they are released, or rejected, by the id of a plant in them. */
export function createHeldBatcher(limits: Partial<PlantBatcherLimits>) {
  const batches: number[][] = [];
  const held = new Map<number, (error?: Error) => void>();
  const store: PlantInserter = {
    async insert(plants) {
      const ids = plants.map(({ id }) => Number(id));
      batches.push(ids);
      await new Promise<void>((resolve, reject) => {
        for (const id of ids) held.set(id, (error) => (error === undefined ? resolve() : reject(error)));
      });
      return plants.map(() => stored);
    },
  };
  const end = async (id: number, error?: Error) => {
    while (!held.has(id)) await new Promise(setImmediate);
    held.get(id)?.(error);
  };
  return { batcher: createPlantBatcher(store, { ...highBatcherLimits, ...limits }), batches, end };
}

/** Lets the batcher send what it has. */
export async function passTurns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
}
