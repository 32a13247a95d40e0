import { type Client, countTags, unwrap } from '@plant-store/client';

/** Counts all plants, the plants of each tag, and the untagged plants. An estimated total counts as `undefined`. */
export async function countPlants(client: Client, signal: AbortSignal) {
  const [tags, page] = await Promise.all([
    countTags(client, { signal }),
    unwrap(client.listPlants({ query: { limit: 1, total: true }, signal })),
  ]);
  const total = page.totalIsEstimate ? undefined : page.total;
  const tagged = [...tags.values()].reduce((sum, count) => sum + count, 0);
  // Plants can change between the two counts.
  const untagged = total === undefined ? undefined : Math.max(0, total - tagged);
  return { tags, total, untagged };
}
