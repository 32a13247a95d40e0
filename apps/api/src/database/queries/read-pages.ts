import type { StoredPlant } from '../../plants/plant-store.js';

/**
 * Reads one page after the other, until one is empty.
 *
 * @param readPage reads the plants that follow an id; `undefined` for the first ones
 */
export async function* readPages(
  readPage: (after: bigint | undefined) => Promise<readonly StoredPlant[]>,
  after: bigint | undefined,
): AsyncGenerator<readonly StoredPlant[]> {
  let page = await readPage(after);
  for (let last = page.at(-1); last !== undefined; last = page.at(-1)) {
    yield page;
    page = await readPage(last.id);
  }
}
