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
 * Lists all plants that match. Iterate it for one after the other: it requests each page once the plants of the one before have been
 * taken. Or await it for an array. Nothing is sent until you do either. Each loop lists them again.
 *
 * A plant that is there the whole time comes exactly once. A plant that is added in the meantime may come, too.
 *
 * @param options `order`, `tag`, `tags`, `without`, `q`, `addedFrom`, `addedBefore`; `limit` is how many plants a page has, by default 1,000; and the options of the calls
 * @throws {RejectedError} when the service rejects a request, and whatever a call of the client rejects with
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
      // One value, or several.
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
 * Counts the plants of each tag, page after page. It does not count plants without a tag. It may or may not count a plant that is added
 * or changed in the meantime.
 *
 * @returns the number of plants by tag, those with the most plants first
 * @throws {RejectedError} when the service rejects a request, and whatever a call of the client rejects with
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
  return new Map([...counts].sort(([a, count], [b, other]) => other - count || (a < b ? -1 : 1)));
}
