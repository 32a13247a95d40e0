import type { Plant } from '@plant-store/contract';
import { plantFields } from '@plant-store/contract/fields';
import type { CreateOutcome, Stored, StoredRecord } from '@plant-store/records';
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
