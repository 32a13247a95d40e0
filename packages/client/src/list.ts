import type { PlantQuery, StoredPlant } from '@plant-store/contract/operations';
import { plant } from '@plant-store/contract/plants';
import type { Client } from './client.js';
import { createIterablePromise, type IterablePromise } from './iterable-promise.js';
import type { CallOptions } from './options.js';
import { unwrap } from './unwrap.js';

/** Which plants to list, and the options for the call that requests each page. */
export type ListOptions = Omit<PlantQuery, 'after' | 'limit' | 'total' | 'fields'> &
  CallOptions & {
    /** The most plants per page, from 1 to 1,000. Default: 1,000. */
    readonly limit?: number | undefined;
  };

/**
 * Lists all matching plants. Iterate over the result to request one page at a time, or await the result to get an array. Nothing is sent until
 * you do either. Each new loop requests the list again.
 *
 * A plant that exists during the whole loop is listed exactly once. A plant that is added during the loop may or may not be listed.
 *
 * @param options the list's filters and order, the page size `limit`, and the options for each call
 * @throws {RejectedError} if the service rejects a request. The function also throws the errors of `listPlants`.
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
      // A filter's name is the field name or, for several values, the field name with an `s`.
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
 * Counts the plants per tag, page by page. Plants without a tag are not counted. A plant that is added or changed during the count may or may
 * not be included.
 *
 * @returns the number of plants per tag, with the most frequent tag first
 * @throws {RejectedError} if the service rejects a request. The function also throws the errors of `listTags`.
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
