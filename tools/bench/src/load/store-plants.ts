import { batchPlants } from './load.js';
import { smallestId } from './write-ids.js';

/** Stores plants with ids from the smallest on, or from some later, in batches. */
export async function storePlants(
  { baseUrl, token }: { readonly baseUrl: string; readonly token: string },
  count: number,
  from = 0,
): Promise<void> {
  for (let first = from; first < from + count; first += batchPlants) {
    const plants = Array.from({ length: Math.min(batchPlants, from + count - first) }, (_, index) => ({
      id: smallestId + first + index,
      name: `Monstera deliciosa ${first + index}`,
      tag: index % 2 === 0 ? 'houseplant' : 'tree',
    }));
    const { status } = await fetch(`${baseUrl}/plants/batch`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ plants }),
    });
    if (status !== 200) throw new Error(`A batch was answered ${status}`);
  }
}
