import { setImmediate as nextTurn } from 'node:timers/promises';
import { plantFieldNames } from '@plant-store/contract/fields';
import { messages } from '@plant-store/contract/messages';
import { isTombstone, ServiceError } from '@plant-store/records';
import { overloadErrors } from '../errors/service-error.js';
import { Budget, type Caller, FairQueue } from '../runtime/callers.js';

import { type PlantRecord, type PlantStore, plantTable, type StoredPlant } from './plant-store.js';
import { type Batch, readId, runBatch } from './run-batch.js';

/** Finds what has an id. */
export type FindPlant = (id: bigint, caller: Caller) => Promise<PlantRecord | undefined>;

/**
 * Returns the plant with an id.
 *
 * @throws {ServiceError} `plant_not_found` when there is none
 * @throws whatever the store throws
 */
export async function getPlant(find: FindPlant, id: bigint, caller: Caller): Promise<StoredPlant> {
  const plant = await find(id, caller);
  if (plant === undefined || isTombstone(plant))
    throw new ServiceError('plant_not_found', messages.plantNotFound(id));
  return plant;
}

/** How much text the plants of a batch may have, in bytes in UTF-8. */
const maxTextBytes = 2 ** 22;

const replyIsFull = new ServiceError(
  'overloaded',
  'The reply has no room for more plants. Send this id again.',
);

/**
 * Returns the plants with the ids of a batch, each as `getPlant` does, a few at a time. Once their texts are longer than a reply may
 * be, the rest are `overloaded`; at least one is returned.
 */
export async function getPlants(find: FindPlant, batch: Batch): Promise<(StoredPlant | ServiceError)[]> {
  const { items, caller } = batch;
  const found: (StoredPlant | ServiceError)[] = [];
  let bytes = 0;
  while (found.length < items.length) {
    const some = items.slice(found.length, found.length + maxFound);
    const next = await runBatch({ ...batch, items: some }, async (text) => {
      const id = readId(text);
      if (bytes > maxTextBytes) throw replyIsFull;
      const plant = await getPlant(find, id, caller);
      const own = plantTable.bytesOf(plant);
      bytes += own;
      if (bytes > maxTextBytes && bytes > own) throw replyIsFull;
      return plant;
    });
    found.push(...next);
  }
  return found;
}

/** How many plants one query finds at most, and how many requests may wait for one; see `Budget` for the part of each caller. */
const maxFound = 64;
const maxWaiting = 10_000;

/** After how much text, in UTF-16 code units, the replies to others have their turn of the event loop. */
const textPerTurn = 2 ** 17;

/** A request for a plant. */
interface Lookup {
  readonly id: bigint;
  readonly caller: Caller;
  resolve(record: PlantRecord | undefined): void;
  reject(error: unknown): void;
}

/**
 * Creates a function that finds plants one by one, with one query for those that are asked for in a turn of the event loop, or
 * while an earlier query is in flight. Callers take turns.
 */
export function createFindPlant(store: Pick<PlantStore, 'find'>): FindPlant {
  const waiting = new FairQueue<Lookup>();
  const places = new Budget(maxWaiting);
  let isBusy = false;

  function takeBatch(): readonly Lookup[] {
    const batch: Lookup[] = [];
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      places.release(next.caller, 1);
      batch.push(next);
      if (batch.length === maxFound) break;
    }
    return batch;
  }

  async function findAll(): Promise<void> {
    for (let batch = takeBatch(); batch.length > 0; batch = takeBatch()) {
      try {
        const found = await store.find([...new Set(batch.map(({ id }) => id))]);
        await resolveAll(batch, new Map(found.map((plant) => [plant.id, plant])));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isBusy = false;
  }

  return function findPlant(id, caller) {
    if (!places.take(caller, 1)) return Promise.reject(overloadErrors.waiting_reads);
    return new Promise((resolve, reject) => {
      waiting.push(caller, { id, caller, resolve, reject });
      if (isBusy) return;
      isBusy = true;
      setImmediate(findAll);
    });
  };
}

/** Resolves lookups. What follows for each takes the longer, the longer its text is. */
async function resolveAll(batch: readonly Lookup[], found: ReadonlyMap<bigint, PlantRecord>): Promise<void> {
  let text = 0;
  for (const { id, resolve } of batch) {
    const record = found.get(id);
    resolve(record);
    if (record !== undefined && !isTombstone(record)) text += lengthOf(record);
    if (text < textPerTurn) continue;
    text = 0;
    await nextTurn();
  }
}

function lengthOf(plant: StoredPlant): number {
  return plantFieldNames.reduce((length, name) => length + (plant[name]?.length ?? 0), 0);
}
