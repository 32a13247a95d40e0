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
 * Inserts records in parts, one after the other, in none of which an id occurs twice: the order matters where a tombstone has it,
 * and PostgreSQL's `DO UPDATE` changes no row twice.
 */
export async function insertInOrder(
  records: readonly StoredRecord[],
  insert: PlantStore['insert'],
): Promise<readonly InsertOutcome[]> {
  const outcomes: InsertOutcome[] = [];
  for (const part of divide(records)) outcomes.push(...(await insert(part)));
  return outcomes;
}

function divide(records: readonly StoredRecord[]): StoredRecord[][] {
  const parts: StoredRecord[][] = [];
  let part: StoredRecord[] = [];
  let ids = new Set<bigint>();
  for (const record of records) {
    if (ids.has(record.id)) {
      parts.push(part);
      part = [];
      ids = new Set();
    }
    part.push(record);
    ids.add(record.id);
  }
  return [...parts, part];
}

/**
 * Determines the outcome of each record of an insert that is a part of `insertInOrder`, or has no tombstones.
 *
 * @param newIds the ids that the insert stored
 * @param find finds what has these ids. What has an id never changes but once, when it is deleted, so it may be read after the
 * insert.
 */
export async function resolveInsertOutcomes(
  records: readonly StoredRecord[],
  newIds: ReadonlySet<bigint>,
  find: PlantStore['find'],
): Promise<readonly InsertOutcome[]> {
  const unclaimed = new Set(newIds);
  // Of several plants with the same new id, the first one was stored.
  const wasStored = records.map(({ id }) => unclaimed.delete(id));
  const takenIds = new Set(records.filter((_, index) => !wasStored[index]).map(({ id }) => id));
  const found = takenIds.size === 0 ? [] : await find([...takenIds]);
  const existing = new Map(
    found.map((record) => [record.id, isTombstone(record) ? record : withoutTime(record)]),
  );
  return records.map((record, index) => {
    if (wasStored[index]) return stored;
    const { id } = record;
    const found = existing.get(id);
    // A trigger may skip rows silently.
    if (found === undefined) throw new Error(`The plant ${id} was not stored, and no row has its id`);
    if (isTombstone(record) && !isTombstone(found)) throw new Error(`The plant ${id} was not deleted`);
    return { stored: false, existing: found };
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
