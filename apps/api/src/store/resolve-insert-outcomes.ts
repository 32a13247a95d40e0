import type { NewPlant } from '@plant-store/contract';
import { type InsertOutcome, type StoredPlant, stored } from '../plants/plant-store.js';

/** A row of the plants table, decoded from what the driver adapter returns. */
export interface PlantRow {
  readonly id: bigint;
  readonly name: string;
  readonly tag: string | null;
}

/**
 * Determines the outcome of each plant of an insert.
 *
 * @param newIds the ids that the insert stored
 * @param findRows reads the rows with these ids. Plants never change, so they may be read after the insert.
 */
export async function resolveInsertOutcomes(
  plants: readonly NewPlant[],
  newIds: ReadonlySet<bigint>,
  findRows: (ids: bigint[]) => Promise<readonly PlantRow[]>,
): Promise<readonly InsertOutcome[]> {
  const unclaimed = new Set(newIds);
  // Of several plants with the same new id, the first one was stored.
  const wasStored = plants.map(({ id }) => unclaimed.delete(id));
  const takenIds = new Set(plants.filter((_, index) => !wasStored[index]).map(({ id }) => id));
  const rows = takenIds.size === 0 ? [] : await findRows([...takenIds]);
  const existing = new Map(rows.map((row) => [row.id, toPlant(row)]));
  return plants.map(({ id }, index) => {
    if (wasStored[index]) return stored;
    const plant = existing.get(id);
    if (plant === undefined) throw new Error(`The plant ${id} was not stored, and no row has its id`);
    return { stored: false, existing: plant };
  });
}

/** Decodes a row of id, name and tag. The driver adapters return an id that a number cannot hold exactly as text. */
export function toRow([id, name, tag]: readonly unknown[]): PlantRow {
  return { id: BigInt(String(id)), name: String(name), tag: tag === null ? null : String(tag) };
}

/** Converts a row into a plant, which has no tag rather than `null`. */
export function toPlant({ id, name, tag }: PlantRow): StoredPlant {
  return tag === null ? { id, name } : { id, name, tag };
}
