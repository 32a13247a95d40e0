import type { NewPlant } from '@plant-store/contract';

/** Plants with these ids, each with a name of its own. */
export function plantsOf(...ids: readonly (number | bigint)[]): NewPlant[] {
  return ids.map((id) => ({ id: BigInt(id), name: `plant ${id}` }));
}
