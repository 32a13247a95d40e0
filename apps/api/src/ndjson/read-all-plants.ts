import type { PageLimits, PlantStore, StoredPlant } from '../plants/plant-store.js';

/**
 * Reads all plants in the order of their ids, page by page: every plant that was stored before the call, and possibly
 * some that were stored since.
 *
 * @param read see `PlantStore`
 */
export async function* readAllPlants(
  read: PlantStore['read'],
  limits: PageLimits,
): AsyncGenerator<readonly StoredPlant[]> {
  let page = await read(undefined, limits);
  for (let last = page.at(-1); last !== undefined; last = page.at(-1)) {
    yield page;
    page = await read(last.id, limits);
  }
}
