import type { NewPlant } from '@plant-store/contract';
import type { PlantInserter, PlantOutcome, PlantRecord } from '../../../src/plants/plant-store.js';
import { ActiveCallers } from '../../../src/runtime/active-callers.js';
import type { BatchLimits } from '../../../src/store/batcher.js';

/** One caller alone. */
export const oneCaller = new ActiveCallers();

/** Limits that no test reaches by accident. */
export const highBatcherLimits: BatchLimits = {
  queuePlants: 100,
  queueBytes: 1e6,
  batchPlants: 100,
  batchBytes: 1e6,
};

/** The outcome of a plant that was stored. */
export const stored: PlantOutcome = { stored: true };

/** A plant with this id. */
export const plant = (id: number, name = 'x'): NewPlant => ({ id: BigInt(id), name });

/** A store that records the ids of each batch, and rejects a batch that `findError` returns an error for. */
export function createTestStore(
  findError: (plants: readonly PlantRecord[]) => Error | undefined = () => undefined,
) {
  const batches: number[][] = [];
  const store: PlantInserter = {
    async insert(plants) {
      batches.push(plants.map(({ id }) => Number(id)));
      const error = findError(plants);
      if (error !== undefined) throw error;
      return plants.map(() => stored);
    },
  };
  return { store, batches };
}

/** A store whose inserts stay in flight until `release` is called, once for each, in their order. */
export function createHeldStore() {
  const { store, batches } = createTestStore();
  const held: (() => void)[] = [];
  const insert: PlantInserter['insert'] = async (plants) => {
    const outcomes = store.insert(plants);
    await new Promise<void>((resolve) => held.push(resolve));
    return outcomes;
  };
  const release = async () => {
    while (held.length === 0) await new Promise(setImmediate);
    held.shift()?.();
  };
  return { store: { insert }, batches, release };
}
