import { type Client, deleteAll, type Fetch } from '@plant-store/client';
import type { StoredPlant } from '@plant-store/contract/operations';

/** Deletes plants, and returns why some were not deleted, by ID. A separate file, because the first view does not load it. */
export async function deleteSeveral(
  client: Client,
  plants: readonly StoredPlant[],
  fetch: Fetch,
): Promise<ReadonlyMap<bigint, string>> {
  const ids = plants.map(({ id }) => id);
  const { rejections } = await deleteAll(client, ids, { fetch });
  return new Map(rejections.map(({ id, message }) => [BigInt(id), message]));
}
