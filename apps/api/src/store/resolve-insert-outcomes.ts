import type { NewPlant } from '@plant-store/contract';
import {
  type InsertOutcome,
  isTombstone,
  type PlantStore,
  type StoredPlant,
  type StoredRecord,
  stored,
} from '../plants/plant-store.js';

/**
 * Divides records into parts to be stored one after the other, so that the order of those with the same id matters in none: no
 * other record has the id of a tombstone. There are none without records.
 */
export function divideByOrder(records: readonly StoredRecord[]): StoredRecord[][] {
  const parts: StoredRecord[][] = [];
  let part: StoredRecord[] = [];
  let ids = new Map<bigint, boolean>();
  for (const record of records) {
    const earlier = ids.get(record.id);
    if (earlier === true || (earlier === false && isTombstone(record))) {
      parts.push(part);
      part = [];
      ids = new Map();
    }
    part.push(record);
    ids.set(record.id, isTombstone(record));
  }
  return part.length === 0 ? parts : [...parts, part];
}

/**
 * Determines the outcome of each record of an insert that is not divided by `divideByOrder`.
 *
 * @param newIds the ids that the insert stored
 * @param find finds what has these ids. What has an id never changes but once, when it is deleted, so it may be read after the
 * insert.
 */
export async function resolveInsertOutcomes(
  plants: readonly StoredRecord[],
  newIds: ReadonlySet<bigint>,
  find: PlantStore['find'],
): Promise<readonly InsertOutcome[]> {
  const unclaimed = new Set(newIds);
  // Of several plants with the same new id, the first one was stored.
  const wasStored = plants.map(({ id }) => unclaimed.delete(id));
  const takenIds = new Set(plants.filter((_, index) => !wasStored[index]).map(({ id }) => id));
  const found = takenIds.size === 0 ? [] : await find([...takenIds]);
  const existing = new Map(
    found.map((record) => [record.id, isTombstone(record) ? record : withoutTime(record)]),
  );
  return plants.map(({ id }, index) => {
    if (wasStored[index]) return stored;
    const plant = existing.get(id);
    if (plant === undefined) throw new Error(`The plant ${id} was not stored, and no row has its id`);
    return { stored: false, existing: plant };
  });
}

const withoutTime = ({ addedAt: _, ...plant }: StoredPlant): NewPlant => plant;

/**
 * Decodes a row of id, name, tag, time, and whether the plant was deleted. The driver adapters return an id that a number cannot
 * hold exactly as text. A plant has no tag and no time rather than `null`.
 */
export function toRecord([id, name, tag, addedAt, deleted]: readonly unknown[]): StoredRecord {
  if (deleted === true || deleted === 1) return { id: BigInt(String(id)), deleted: true };
  return {
    id: BigInt(String(id)),
    name: String(name),
    ...(tag !== null && { tag: String(tag) }),
    ...(addedAt !== null && { addedAt: Number(addedAt) }),
  };
}
