import type { NewPlant } from '@plant-store/contract';
import type { InsertOutcome } from './plant-store.js';

/** How much all queues together and one batch may hold. Bytes are those of the texts, in UTF-8. */
export interface PlantQueueLimits {
  readonly queuePlants: number;
  readonly queueBytes: number;
  readonly batchPlants: number;
  readonly batchBytes: number;
}

/** A queued plant, with the callbacks of the promise that its caller awaits. */
export interface QueuedPlant {
  readonly plant: NewPlant;
  readonly bytes: number;
  resolve(outcome: InsertOutcome): void;
  reject(error: unknown): void;
}

/** How much is queued. */
export interface QueueUsage {
  plants: number;
  bytes: number;
}

/** Plants in the order of their arrival, taken out in batches. */
export interface PlantQueue {
  /** How much this queue holds. */
  readonly used: Readonly<QueueUsage>;
  /** Whether waiting would add no more plants to the next batch, or would cause some to be rejected. */
  hasFullBatch(): boolean;
  push(plant: QueuedPlant): void;
  /** Removes the next batch from the queue: at least one plant, however large; empty only if the queue is. */
  takeBatch(): readonly QueuedPlant[];
  /** Rejects all queued plants and removes them. */
  rejectAll(error: unknown): void;
}

/**
 * Creates an empty queue. Its caller checks the limits before each `push`.
 *
 * @param total how much all queues hold, which each of them keeps up to date
 */
export function createPlantQueue(limits: PlantQueueLimits, total: QueueUsage): PlantQueue {
  const { queuePlants, batchPlants, batchBytes } = limits;
  const used: QueueUsage = { plants: 0, bytes: 0 };
  let queue: QueuedPlant[] = [];

  function count(plants: number, bytes: number): void {
    used.plants += plants;
    used.bytes += bytes;
    total.plants += plants;
    total.bytes += bytes;
  }

  return {
    used,
    hasFullBatch: () => used.plants >= Math.min(batchPlants, queuePlants) || used.bytes >= batchBytes,
    push(plant) {
      queue.push(plant);
      count(1, plant.bytes);
    },
    takeBatch() {
      const batch = queue.slice(0, countBatch(queue, limits));
      queue = queue.slice(batch.length);
      let bytes = 0;
      for (const plant of batch) bytes += plant.bytes;
      count(-batch.length, -bytes);
      return batch;
    },
    rejectAll(error) {
      for (const { reject } of queue) reject(error);
      queue = [];
      count(-used.plants, -used.bytes);
    },
  };
}

/** How many plants at the head of the queue make up the next batch. */
function countBatch(queue: readonly QueuedPlant[], { batchPlants, batchBytes }: PlantQueueLimits): number {
  let count = 0;
  let totalBytes = 0;
  for (const { bytes } of queue) {
    totalBytes += bytes;
    if (count > 0 && (count === batchPlants || totalBytes > batchBytes)) break;
    count++;
  }
  return count;
}
