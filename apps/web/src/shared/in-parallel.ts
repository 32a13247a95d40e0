/** How many are worked on at a time. */
const concurrency = 4;

/**
 * Works on all items, some at a time. Once that fails for one, it takes no more.
 *
 * @throws what it fails with first, after what was begun has ended
 */
export async function inParallel<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  // Each takes the next one; the first that throws ends it for the others.
  const shared = each(items);
  const workOn = async () => {
    for await (const item of shared) await work(item);
  };
  for (const ended of await Promise.allSettled(Array.from({ length: concurrency }, workOn))) {
    if (ended.status === 'rejected') throw ended.reason;
  }
}

async function* each<Item>(items: Iterable<Item> | AsyncIterable<Item>): AsyncGenerator<Item> {
  yield* items;
}
