import type { PageLimits, PlantStore, StoredPlant } from '../plants/plant-store.js';

/**
 * Reads all plants in the order of their ids, page by page: every plant that was stored before the call, and possibly
 * some that were stored since.
 *
 * @param read see `PlantStore`
 * @param attempt reads the next page, and may call its argument again after an error: reading then goes on after the last page
 */
export async function* readAllPlants(
  read: PlantStore['read'],
  limits: PageLimits,
  attempt: <Result>(readNext: () => Promise<Result>) => Promise<Result> = (readNext) => readNext(),
): AsyncGenerator<readonly StoredPlant[]> {
  let last: bigint | undefined;
  const begin = () => read(last, limits)[Symbol.asyncIterator]();
  let pages = begin();
  for (;;) {
    const { done, value: page } = await attempt(async () => {
      try {
        return await pages.next();
      } catch (error) {
        pages = begin();
        throw error;
      }
    });
    if (done) return;
    yield page;
    last = page.at(-1)?.id;
  }
}
