/** What `Array.fromAsync` does, whose types are in no ES version yet. */
export async function toArray<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
