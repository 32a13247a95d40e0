import type { PlantStore } from '../../../src/plants/plant-store.js';
import { type BatchLimits, createBatcher } from '../../../src/store/batcher.js';
import { createShardQueues, type ShardRouting } from '../../../src/store/postgresql/citus/shard-queues.js';
import { highBatcherLimits, oneCaller, stored } from './create-test-store.js';

/** A batcher over shards, whose inserts stay in flight until they are released, or rejected, by the id of a plant in them. */
export function createHeldBatcher({
  routing,
  ...changed
}: Partial<BatchLimits> & { readonly routing: ShardRouting }) {
  const batches: number[][] = [];
  const held = new Map<number, (error?: Error) => void>();
  const insert: PlantStore['insert'] = async (plants) => {
    const ids = plants.map(({ id }) => Number(id));
    batches.push(ids);
    await new Promise<void>((resolve, reject) => {
      for (const id of ids) held.set(id, (error) => (error === undefined ? resolve() : reject(error)));
    });
    return plants.map(() => stored);
  };
  const end = async (id: number, error?: Error) => {
    while (!held.has(id)) await new Promise(setImmediate);
    held.get(id)?.(error);
  };
  const limits = { ...highBatcherLimits, ...changed };
  const batcher = createBatcher(insert, limits, (onReady) =>
    createShardQueues(limits, routing, oneCaller, onReady),
  );
  return { batcher, batches, end };
}

/** Lets the batcher send what it has. */
export async function passTurns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
}
