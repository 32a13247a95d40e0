import type { NewPlant, Plant } from '@plant-store/contract';
import { resources } from '@plant-store/contract/resources';
import type { Stored, StoredRecord } from '@plant-store/records';
import type { RecordStore } from '../../../src/store/store.js';
import { tableOf } from '../../../src/store/table.js';

export type PlantStore = RecordStore<Plant>;
export type PlantRecord = StoredRecord<Plant>;
export type StoredPlant = Stored<Plant>;

export const plantTable = tableOf<Plant>(resources.plant);

/** Plants with these ids, each with a name of its own. */
export function plantsOf(...ids: readonly (number | bigint)[]): NewPlant[] {
  return ids.map((id) => ({ id: BigInt(id), name: `plant ${id}` }));
}
