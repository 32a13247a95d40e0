import type { NewPlant } from '@plant-store/contract';
import { overloadErrors, ServiceError } from '../errors/service-error.js';
import { createPlantLanes, type Lane } from './plant-lanes.js';
import type { PlantQueueLimits, QueuedPlant } from './plant-queue.js';
import type { InsertOutcome, PlantInserter } from './plant-store.js';
import { type Routing, toOneDestination } from './routing.js';

/** The limits of the queue and its batches, and which plants share a batch. */
export interface PlantBatcherLimits extends PlantQueueLimits {
  /** To one destination, with one insert in flight, by default. */
  readonly routing?: Routing;
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
 * Groups concurrent creates into commits: plants that arrive together for the same destination are stored together. A single
 * request does not wait for others: it is flushed in the turn of the event loop in which it arrives. A full batch is flushed
 * immediately, rather than rejecting the plants that follow.
 */
export function createPlantBatcher(store: PlantInserter, limits: PlantBatcherLimits): PlantBatcher {
  const { routing = toOneDestination(1), queuePlants } = limits;
  const lanes = createPlantLanes(limits, routing, scheduleFlush);
  const { total, ready } = lanes;
  const inFlight = new Set<Promise<void>>();
  let scheduledFlush: NodeJS.Immediate | undefined;

  /** Schedules a flush if a lane is ready and another insert may be in flight. */
  function scheduleFlush(): void {
    if (scheduledFlush === undefined && ready.size > 0 && inFlight.size < routing.inserts) flushAfterTurn();
  }

  /** Flushes at the end of this turn of the event loop, or of the first one that brings no further plants. */
  function flushAfterTurn(): void {
    const { plants } = total;
    scheduledFlush = setImmediate(() => {
      if (total.plants > plants) flushAfterTurn();
      else flush();
    });
  }

  /** Inserts a batch of each lane that is ready, as long as another insert may be in flight. */
  function flush(): void {
    clearImmediate(scheduledFlush);
    scheduledFlush = undefined;
    for (const lane of [...ready]) {
      // The insert of another lane of its group may hold it.
      if (inFlight.size < routing.inserts && ready.has(lane)) insertFrom(lane);
    }
    // Plants that did not fit into these batches need not wait until they are stored.
    scheduleFlush();
  }

  function insertFrom(lane: Lane): void {
    const batch = lanes.takeBatch(lane);
    // The queue may have been rejected since it was ready.
    if (batch.length === 0) return;
    const insert = insertBatch(store, batch).then((outage) => {
      inFlight.delete(insert);
      // Those that are queued have waited for a database that does not answer; they should not wait as long again.
      lanes.end(lane, outage);
      scheduleFlush();
    });
    inFlight.add(insert);
  }

  return {
    isFull: () => total.plants >= queuePlants,
    queued: () => ({ ...total }),
    write(plant) {
      const bytes = Buffer.byteLength(plant.name) + Buffer.byteLength(plant.tag ?? '');
      const lane = lanes.find(plant.id);
      if (scheduledFlush !== undefined && lanes.findOverload(lane, bytes) !== undefined) flush();
      const overload = lanes.findOverload(lane, bytes);
      if (overload !== undefined) return Promise.reject(overloadErrors[overload]);
      return new Promise((resolve, reject) => {
        lanes.push(lane, { plant, bytes, resolve, reject });
        scheduleFlush();
        if (scheduledFlush !== undefined && lane.queue.hasFullBatch()) flush();
      });
    },
    async idle() {
      while (inFlight.size > 0 || scheduledFlush !== undefined || total.plants > 0) {
        await Promise.all([...inFlight, ...lanes.delays]);
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
