import type { NewPlant } from '@plant-store/contract';
import { type InsertOutcome, type StoredPlant, stored } from '../plants/plant-store.js';

/**
 * Determines the outcome of each plant of an insert.
 *
 * @param newIds the ids that the insert stored
 * @param find finds the plants with these ids. Plants never change, so they may be read after the insert.
 */
export async function resolveInsertOutcomes(
  plants: readonly NewPlant[],
  newIds: ReadonlySet<bigint>,
  find: (ids: bigint[]) => Promise<readonly StoredPlant[]>,
): Promise<readonly InsertOutcome[]> {
  const unclaimed = new Set(newIds);
  // Of several plants with the same new id, the first one was stored.
  const wasStored = plants.map(({ id }) => unclaimed.delete(id));
  const takenIds = new Set(plants.filter((_, index) => !wasStored[index]).map(({ id }) => id));
  const found = takenIds.size === 0 ? [] : await find([...takenIds]);
  const existing = new Map(found.map(({ addedAt: _, ...plant }) => [plant.id, plant]));
  return plants.map(({ id }, index) => {
    if (wasStored[index]) return stored;
    const plant = existing.get(id);
    if (plant === undefined) throw new Error(`The plant ${id} was not stored, and no row has its id`);
    return { stored: false, existing: plant };
  });
}

/**
 * Decodes a row of id, name, tag and time. The driver adapters return an id that a number cannot hold exactly as text. A plant
 * has no tag and no time rather than `null`.
 */
export function toPlant([id, name, tag, addedAt]: readonly unknown[]): StoredPlant {
  return {
    id: BigInt(String(id)),
    name: String(name),
    ...(tag !== null && { tag: String(tag) }),
    ...(addedAt !== null && { addedAt: Number(addedAt) }),
  };
}
