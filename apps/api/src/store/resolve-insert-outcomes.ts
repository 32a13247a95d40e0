import {
  type InsertOutcome,
  isTombstone,
  type New,
  type Store,
  type StoredRecord,
  stored,
  type Tombstone,
} from './store.js';

/**
 * Inserts records of which some are tombstones. Where an id occurs twice it takes two inserts, of the plants before their
 * tombstones, and of these: the order matters, and PostgreSQL's `DO UPDATE` changes no row twice. What comes later has the
 * outcome of an id with a tombstone.
 */
export async function insertInOrder<Resource>(
  records: readonly StoredRecord<Resource>[],
  insert: Store<Resource>['insert'],
): Promise<readonly InsertOutcome<Resource>[]> {
  if (new Set(records.map(({ id }) => id)).size === records.length) return insert(records);
  const tombstones = new Map<bigint, number>();
  const plants: number[] = [];
  for (const [index, record] of records.entries()) {
    if (tombstones.has(record.id)) continue;
    if (isTombstone(record)) tombstones.set(record.id, index);
    else plants.push(index);
  }
  const outcomes = records.map(
    ({ id }): InsertOutcome<Resource> => ({ stored: false, existing: { id, deleted: true } }),
  );
  for (const part of [plants, [...tombstones.values()]]) {
    const inserted = part.length === 0 ? [] : await insert(part.flatMap((index) => records[index] ?? []));
    for (const [place, outcome] of inserted.entries()) outcomes[part[place] ?? 0] = outcome;
  }
  return outcomes;
}

/**
 * Determines the outcome of each record of an insert that is a part of `insertInOrder`, or has no tombstones.
 *
 * @param newIds the ids that the insert stored
 * @param find finds what has these ids. What has an id never changes but once, when it is deleted, so it may be read after the
 * insert.
 */
export async function resolveInsertOutcomes<Resource>(
  records: readonly StoredRecord<Resource>[],
  newIds: ReadonlySet<bigint>,
  find: Store<Resource>['find'],
): Promise<readonly InsertOutcome<Resource>[]> {
  const unclaimed = new Set(newIds);
  // Of several plants with the same new id, the first one was stored.
  const wasStored = records.map(({ id }) => unclaimed.delete(id));
  const takenIds = new Set(records.filter((_, index) => !wasStored[index]).map(({ id }) => id));
  const found = takenIds.size === 0 ? [] : await find([...takenIds]);
  const existing = new Map(found.map((record) => [record.id, withoutTime(record)]));
  return records.map((record, index) => {
    if (wasStored[index]) return stored;
    const { id } = record;
    const found = existing.get(id);
    // A trigger may skip rows silently.
    if (found === undefined) throw new Error(`The record ${id} was not stored, and no row has its id`);
    if (isTombstone(record) && !isTombstone(found)) throw new Error(`The record ${id} was not deleted`);
    return { stored: false, existing: found };
  });
}

/** What an outcome has of a record. */
export function withoutTime<Resource>(record: StoredRecord<Resource>): New<Resource> | Tombstone {
  if (isTombstone(record)) return record;
  const { addedAt: _, ...created } = record;
  return created as unknown as New<Resource>;
}
