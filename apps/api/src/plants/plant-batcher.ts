import type { NewPlant } from '@plant-store/contract';
import { overloadErrors } from '../errors/overload-errors.js';
import { ServiceError } from '../errors/service-error.js';
import { createPlantQueue, type PlantQueueLimits, type QueuedPlant } from './plant-queue.js';
import type { InsertOutcome, PlantInserter } from './plant-store.js';

/** The limits of the queue and its batches, and how many batches are inserted concurrently. */
export interface PlantBatcherLimits extends PlantQueueLimits {
  /** How many inserts may be in flight; 1 by default. */
  readonly concurrentInserts?: number;
}

/** Stores plants in batches, one commit per batch (group commit). */
export interface PlantBatcher {
  /**
   * Queues a plant and resolves once it is on disk, or its id turns out to be taken.
   *
   * @throws {ServiceError} `overloaded` when the queue is full; the plant is not stored then
   * @throws {ServiceError} `database_unavailable` when the store does not answer, to this batch or to the one before it
   * @throws whatever else the store throws for this plant; an error caused by another plant of the batch is not
   * reported
   */
  write(plant: NewPlant): Promise<InsertOutcome>;
  /** Whether the queue has as many plants as its limit allows: `write` would reject another one. */
  isFull(): boolean;
  /** How much is queued; bytes are those of the texts, in UTF-8. */
  queued(): { readonly plants: number; readonly bytes: number };
  /** Resolves once the queue is empty and no insert is in flight. */
  idle(): Promise<void>;
}

/**
 * Groups concurrent creates into commits: plants that arrive together are stored together. A single request does not
 * wait for others: it is flushed in the turn of the event loop in which it arrives. A full batch is flushed
 * immediately, rather than rejecting the plants that follow.
 */
export function createPlantBatcher(store: PlantInserter, limits: PlantBatcherLimits): PlantBatcher {
  const { concurrentInserts = 1 } = limits;
  const queue = createPlantQueue(limits);
  const inFlight = new Set<Promise<void>>();
  let scheduledFlush: NodeJS.Immediate | undefined;

  /** Schedules a flush if a plant is queued and another insert may be in flight. */
  function scheduleFlush(): void {
    if (scheduledFlush !== undefined || inFlight.size >= concurrentInserts) return;
    if (queue.length() > 0) flushAfterTurn();
  }

  /** Flushes at the end of this turn of the event loop, or of the first one that brings no further plants. */
  function flushAfterTurn(): void {
    const length = queue.length();
    scheduledFlush = setImmediate(() => {
      if (queue.length() > length) flushAfterTurn();
      else flush();
    });
  }

  function flush(): void {
    clearImmediate(scheduledFlush);
    scheduledFlush = undefined;
    const batch = queue.takeBatch();
    // The queue may have been rejected since the flush was scheduled.
    if (batch.length === 0) return;
    const insert = insertBatch(store, batch).then((outage) => {
      inFlight.delete(insert);
      // These plants have waited for a database that does not answer; they should not wait as long again.
      if (outage !== undefined) queue.rejectAll(outage);
      scheduleFlush();
    });
    inFlight.add(insert);
    // Plants that did not fit into this batch need not wait until it is stored.
    scheduleFlush();
  }

  return {
    isFull: queue.isFull,
    queued: () => ({ plants: queue.length(), bytes: queue.bytes() }),
    write(plant) {
      const bytes = Buffer.byteLength(plant.name) + Buffer.byteLength(plant.tag ?? '');
      if (scheduledFlush !== undefined && !queue.hasRoomFor(bytes)) flush();
      if (queue.isFull()) return Promise.reject(overloadErrors.waiting_plants);
      if (!queue.hasRoomFor(bytes)) return Promise.reject(overloadErrors.waiting_bytes);
      return new Promise((resolve, reject) => {
        queue.push({ plant, bytes, resolve, reject });
        scheduleFlush();
        if (scheduledFlush !== undefined && queue.hasFullBatch()) flush();
      });
    },
    async idle() {
      while (inFlight.size > 0 || scheduledFlush !== undefined) {
        await Promise.all(inFlight);
        if (scheduledFlush !== undefined) await new Promise(setImmediate);
      }
    },
  };
}

/**
 * Inserts a batch and resolves or rejects each of its plants. When the insert fails because of a plant, each half of
 * the batch is inserted separately, so that only that plant is rejected.
 *
 * @returns the error that some or all plants were rejected with because the store is unavailable, if it is
 */
async function insertBatch(
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
