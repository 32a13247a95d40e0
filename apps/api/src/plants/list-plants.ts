import type { PlantQuery } from '@plant-store/contract';
import { examinedBy, operationsByName } from '../resources.js';
import type { PlantStore, StoredPlant } from './plant-store.js';

/** Returns a page of the plants that match a query. */
export async function listPlants(store: Pick<PlantStore, 'list'>, query: PlantQuery, share: number) {
  const { records, next } = await operationsByName.plant.list(store, query, examinedBy(share));
  const plants: readonly StoredPlant[] = records;
  return { plants, next };
}
