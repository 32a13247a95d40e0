export {
  type AllRecords,
  createFakePlantStore,
  type FakePlantStore,
  type FakePlantStoreOptions,
  type PlantsToStore,
  type PlantToStore,
  type RecordsToStore,
  type RecordToStore,
  type StoredRecords,
} from './create-fake-plant-store.js';
export type { DelayFault, DropFault, Fault, MalformedFault, RefuseFault, StatusFault } from './faults.js';
