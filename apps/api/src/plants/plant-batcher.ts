import type { NewPlant } from '@plant-store/contract';
import { overloadErrors } from '../errors/overload-errors.js';
import { ServiceError } from '../errors/service-error.js';
import type { InsertOutcome, PlantStore } from './plant-store.js';

/** How much may wait to be stored, and how much goes into one commit. Bytes are those of the texts, in UTF-8. */
export interface PlantBatcherLimits {
  readonly waitingPlants: number;
  readonly waitingBytes: number;
  readonly batchPlants: number;
  readonly batchBytes: number;
  /** How many commits may be under way at once; 1 by default. */
  readonly concurrentInserts?: number;
}

/** Stores plants, many in one commit. */
export interface PlantBatcher {
  /**
   * Stores a plant and resolves once it is on disk, or once its id is found taken.
   *
   * @throws {ServiceError} `overloaded` when more plants wait than the limits allow; nothing is stored then
   * @throws {ServiceError} `database_unavailable` when the store does not answer, to this batch or to the one before it
   * @throws whatever else the store throws for this plant; a fault of a neighbour in the batch is not its own
   */
  write(plant: NewPlant): Promise<InsertOutcome>;
  /** Whether as many plants wait as may: `write` would refuse another one. */
  isFull(): boolean;
  /** Resolves once nothing waits and nothing is being stored. */
  idle(): Promise<void>;
}

/** A plant that waits, and how to tell its request what became of it. */
interface Waiting {
  readonly plant: NewPlant;
  readonly bytes: number;
  resolve(outcome: InsertOutcome): void;
  reject(error: unknown): void;
}

/**
 * Groups concurrent creates into commits: what arrives together is stored together. A lone create waits for nobody: it
 * is stored in the turn of the event loop in which it came. And nothing is refused while it could be stored instead.
 */
export function createPlantBatcher(
  store: Pick<PlantStore, 'insert'>,
  limits: PlantBatcherLimits,
): PlantBatcher {
  const { concurrentInserts = 1, waitingPlants, waitingBytes, batchPlants, batchBytes } = limits;
  let queue: Waiting[] = [];
  let queuedBytes = 0;
  /** The end of the turn, while what waits is gathered for a commit. */
  let gathering: NodeJS.Immediate | undefined;
  const commits = new Set<Promise<void>>();

  /** Gathers for the next commit if anything waits and another commit may be in flight. */
  function startGathering(): void {
    if (queue.length > 0 && gathering === undefined && commits.size < concurrentInserts) gather();
  }

  /** Waits for the end of the turn of the event loop, and for further turns as long as each brings more plants. */
  function gather(): void {
    const { length } = queue;
    gathering = setImmediate(() => {
      if (queue.length > length) gather();
      else commitBatch();
    });
  }

  function commitBatch(): void {
    clearImmediate(gathering);
    gathering = undefined;
    const batch = takeBatch();
    // What was gathered may have been refused meanwhile.
    if (batch.length === 0) return;
    const commit = storeBatch(store, batch).then((outage) => {
      commits.delete(commit);
      if (outage !== undefined) refuseQueue(outage);
      startGathering();
    });
    commits.add(commit);
    // What has no room in it need not wait for its end.
    startGathering();
  }

  /** Whether waiting for more plants would bring none into the commit, or would have them refused. */
  function isGathered(): boolean {
    return queue.length >= Math.min(batchPlants, waitingPlants) || queuedBytes >= batchBytes;
  }

  /** What has waited for a database that does not answer shall not wait for as long again. */
  function refuseQueue(outage: ServiceError): void {
    refuse(queue, outage);
    queue = [];
    queuedBytes = 0;
  }

  function takeBatch(): readonly Waiting[] {
    const batch = queue.slice(0, countBatch(queue, limits));
    queue = queue.slice(batch.length);
    for (const { bytes } of batch) queuedBytes -= bytes;
    return batch;
  }

  const isFull = () => queue.length >= waitingPlants;

  return {
    isFull,
    write(plant) {
      const bytes = Buffer.byteLength(plant.name) + Buffer.byteLength(plant.tag ?? '');
      const fits = () => queue.length === 0 || queuedBytes + bytes <= waitingBytes;
      if (gathering !== undefined && !fits()) commitBatch();
      if (isFull()) return Promise.reject(overloadErrors.waiting_plants);
      if (!fits()) return Promise.reject(overloadErrors.waiting_bytes);
      return new Promise((resolve, reject) => {
        queue.push({ plant, bytes, resolve, reject });
        queuedBytes += bytes;
        startGathering();
        if (gathering !== undefined && isGathered()) commitBatch();
      });
    },
    async idle() {
      while (commits.size > 0 || gathering !== undefined) {
        await Promise.all(commits);
        if (gathering !== undefined) await new Promise(setImmediate);
      }
    },
  };
}

/** How many from the head of the queue go into one batch: at least one, however large it is. */
function countBatch(queue: readonly Waiting[], { batchPlants, batchBytes }: PlantBatcherLimits): number {
  let count = 0;
  let total = 0;
  for (const { bytes } of queue) {
    total += bytes;
    if (count > 0 && (count === batchPlants || total > batchBytes)) break;
    count++;
  }
  return count;
}

/**
 * Stores a batch. When it fails because of a plant in it, each half is tried alone, so that only that plant fails.
 *
 * @returns the error that all or the rest were refused with when the store did not answer
 */
async function storeBatch(
  store: Pick<PlantStore, 'insert'>,
  batch: readonly Waiting[],
): Promise<ServiceError | undefined> {
  try {
    const outcomes = await store.insert(batch.map(({ plant }) => plant));
    for (const [index, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[index];
      if (outcome === undefined) reject(new Error('The store gave no outcome for the plant'));
      else resolve(outcome);
    }
    return undefined;
  } catch (error) {
    if (batch.length === 1 || error instanceof ServiceError) {
      refuse(batch, error);
      return error instanceof ServiceError ? error : undefined;
    }
    const middle = Math.ceil(batch.length / 2);
    const outage = await storeBatch(store, batch.slice(0, middle));
    if (outage === undefined) return storeBatch(store, batch.slice(middle));
    refuse(batch.slice(middle), outage);
    return outage;
  }
}

function refuse(plants: readonly Waiting[], error: unknown): void {
  for (const { reject } of plants) reject(error);
}
