import type { PlantQuery, StoredPlant } from '@plant-store/contract/operations';
import { plant } from '@plant-store/contract/plants';
import type { Client } from './client.js';
import { createIterablePromise, type IterablePromise } from './iterable-promise.js';
import type { CallOptions } from './options.js';
import { unwrap } from './unwrap.js';

/** Which plants to list, and how the calls for the pages are made. */
export type ListOptions = Omit<PlantQuery, 'after' | 'limit' | 'total' | 'fields'> &
  CallOptions & {
    /** How many plants a page has at most, from 1 to 1,000. Default: 1,000. */
    readonly limit?: number | undefined;
  };

/**
 * Lists all plants that match. Iterate it: it requests the next page once you have iterated over the previous one. Or await it for an
 * array. Nothing is sent until you do either. Each loop lists the plants again.
 *
 * A plant that exists the whole time comes exactly once. A plant that is added while the list is read may come or not.
 *
 * @param options the filters and the order of the list, the page size `limit`, and the options of the calls
 * @throws {RejectedError} when the service rejects a request. It also throws the errors of the client's calls.
 *
 * @example
 * import { createClient, listAll } from '@plant-store/client';
 *
 * const client = createClient({ baseUrl: 'http://127.0.0.1:3000', token: 'pst_…' });
 * for await (const plant of listAll(client, { tag: 'indoor' })) console.log(plant.id, plant.name);
 */
export function listAll(
  client: Pick<Client, 'listPlants'>,
  { limit = 1_000, order: sortedBy, without, q, addedFrom, addedBefore, ...options }: ListOptions = {},
): IterablePromise<StoredPlant> {
  async function* iterate() {
    const filters = Object.fromEntries(
      // A filter has the name of its field, or its plural for several values.
      Object.entries(options).filter(
        ([name]) => (plant.fields[name] ?? plant.fields[name.slice(0, -1)])?.filter,
      ),
    );
    let after: string | undefined;
    do {
      const query = { limit, order: sortedBy, ...filters, without, q, addedFrom, addedBefore, after };
      const page = await unwrap(client.listPlants({ ...options, query }));
      yield* page.plants;
      after = page.next;
    } while (after !== undefined);
  }
  return createIterablePromise(iterate, (all) => all);
}

/**
 * Counts the plants of each tag, page by page. It does not count plants without a tag. It may or may not count a plant that is added or
 * changed while it runs.
 *
 * @returns the number of plants by tag, the most frequent tag first
 * @throws {RejectedError} when the service rejects a request. It also throws the errors of the client's calls.
 *
 * @example
 * import { countTags, createClient } from '@plant-store/client';
 *
 * const client = createClient({ baseUrl: 'http://127.0.0.1:3000', token: 'pst_…' });
 * for (const [tag, plants] of await countTags(client)) console.log(tag, plants);
 */
export async function countTags(
  client: Pick<Client, 'listTags'>,
  options: CallOptions = {},
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  let after: string | undefined;
  do {
    const page = await unwrap(client.listTags({ ...options, query: { after } }));
    for (const { tag, plants } of page.tags) counts.set(tag, (counts.get(tag) ?? 0) + plants);
    after = page.next;
  } while (after !== undefined);
  return new Map([...counts].sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1)));
}
