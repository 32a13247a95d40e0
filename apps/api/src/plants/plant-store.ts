import type { Plant } from '@plant-store/contract';
import { plantFields } from '@plant-store/contract/fields';
import type { InsertOutcome, Store, Stored, StoredRecord, Writer } from '../store/store.js';
import { tableOf } from '../store/table.js';

/** The table of plants. */
export const plantTable = tableOf<Plant>('plants', plantFields);

/** A plant as it is stored, under its id. */
export type StoredPlant = Stored<Plant>;

/** What the store has under an id: a plant, or that it was deleted. */
export type PlantRecord = StoredRecord<Plant>;

export type PlantOutcome = InsertOutcome<Plant>;

/** The store of plants, on any database engine, and what handlers write to. */
export type PlantStore = Store<Plant>;
export type PlantWriter = Writer<Plant>;

/** The part of a store that inserts plants, and that which reads them. */
export type PlantInserter = Pick<PlantStore, 'insert'>;
export type PlantReader = Pick<PlantStore, 'find' | 'list'>;
