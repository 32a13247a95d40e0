import type { Plant } from '@plant-store/contract';
import { plantFields } from '@plant-store/contract/fields';
import type { Change, CreateOutcome, New, Stored, StoredRecord } from '@plant-store/records';
import type { Caller } from '../runtime/callers.js';
import type { CommitQueue } from '../store/commit-queue.js';
import type { RecordStore } from '../store/store.js';
import { tableOf } from '../store/table.js';

/** The table of plants. */
export const plantTable = tableOf<Plant>('plants', plantFields);

/** A plant as it is stored, under its id. */
export type StoredPlant = Stored<Plant>;

/** What the store has under an id: a plant, or that it was deleted. */
export type PlantRecord = StoredRecord<Plant>;

export type CreatePlantOutcome = CreateOutcome<Plant>;

/** The store of plants, on any database engine, and the queue through which handlers write to it. */
export type PlantStore = RecordStore<Plant>;
export type PlantQueue = CommitQueue<Plant>;

/** A queue of plants as that of all resources. */
export const queueOfAll = (queue: PlantQueue) => ({
  ...queue,
  create: (_resource: string, plant: New<object>, caller: Caller) =>
    queue.create(plant as New<Plant>, caller),
  change: (_resource: string, change: Change<object>, caller: Caller) =>
    queue.change(change as unknown as Change<Plant>, caller),
});
