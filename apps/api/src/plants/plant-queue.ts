import type { NewPlant } from '@plant-store/contract';
import type { InsertOutcome } from './plant-store.js';

/** How much the queue and one batch may hold. Bytes are those of the texts, in UTF-8. */
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

/** Plants in the order of their arrival, taken out in batches. */
export interface PlantQueue {
  length(): number;
  bytes(): number;
  /** Whether the queue has as many plants as its limit allows. */
  isFull(): boolean;
  /** Whether this many more bytes are within the limit; always true of an empty queue. */
  hasRoomFor(bytes: number): boolean;
  /** Whether waiting would add no more plants to the next batch, or would cause some to be rejected. */
  hasFullBatch(): boolean;
  push(plant: QueuedPlant): void;
  /** Removes the next batch from the queue: at least one plant, however large; empty only if the queue is. */
  takeBatch(): readonly QueuedPlant[];
  /** Rejects all queued plants and removes them. */
  rejectAll(error: unknown): void;
}

/** Creates an empty queue. Its caller checks the limits before each `push`. */
export function createPlantQueue(limits: PlantQueueLimits): PlantQueue {
  const { queuePlants, queueBytes, batchPlants, batchBytes } = limits;
  let queue: QueuedPlant[] = [];
  let totalBytes = 0;

  return {
    length: () => queue.length,
    bytes: () => totalBytes,
    isFull: () => queue.length >= queuePlants,
    hasRoomFor: (bytes) => queue.length === 0 || totalBytes + bytes <= queueBytes,
    hasFullBatch: () => queue.length >= Math.min(batchPlants, queuePlants) || totalBytes >= batchBytes,
    push(plant) {
      queue.push(plant);
      totalBytes += plant.bytes;
    },
    takeBatch() {
      const batch = queue.slice(0, countBatch(queue, limits));
      queue = queue.slice(batch.length);
      for (const { bytes } of batch) totalBytes -= bytes;
      return batch;
    },
    rejectAll(error) {
      for (const { reject } of queue) reject(error);
      queue = [];
      totalBytes = 0;
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
