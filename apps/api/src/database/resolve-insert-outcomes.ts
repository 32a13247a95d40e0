import type { NewPlant } from '@plant-store/contract';
import type { InsertOutcome, StoredPlant } from '../plants/plant-store.js';

/** What became of a plant that is stored now. */
export const stored: InsertOutcome = { stored: true };

/** A row of the table of plants, as Prisma's client gives it. */
export interface PlantRow {
  readonly id: bigint;
  readonly name: string;
  readonly tag: string | null;
}

/**
 * What became of each of the plants of one insert.
 *
 * @param newIds the ids that the insert stored
 * @param findRows reads the rows of some ids. A plant never changes, so reading it after the insert reads the same.
 */
export async function resolveInsertOutcomes(
  plants: readonly NewPlant[],
  newIds: ReadonlySet<bigint>,
  findRows: (ids: bigint[]) => Promise<readonly PlantRow[]>,
): Promise<readonly InsertOutcome[]> {
  const unclaimed = new Set(newIds);
  // The first plant of an id takes a new id away from those after it.
  const wins = plants.map(({ id }) => unclaimed.delete(id));
  const taken = new Set(plants.filter((_, index) => !wins[index]).map(({ id }) => id));
  const rows = taken.size === 0 ? [] : await findRows([...taken]);
  const existing = new Map(rows.map((row) => [row.id, toPlant(row)]));
  return plants.map(({ id }, index) => {
    if (wins[index]) return stored;
    const plant = existing.get(id);
    if (plant === undefined) throw new Error(`The plant ${id} is neither stored nor there`);
    return { stored: false, existing: plant };
  });
}

/** A row as a plant, which has no tag rather than `null`. */
export function toPlant({ id, name, tag }: PlantRow): StoredPlant {
  return tag === null ? { id, name } : { id, name, tag };
}
