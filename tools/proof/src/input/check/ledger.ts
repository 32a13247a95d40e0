import { fieldsOf, hasSameFields } from '@plant-store/contract/fields';
import type { NewPlant, Plant } from '@plant-store/contract/operations';
import type { PlantRow } from '../../databases/database.js';
import { withoutTexts } from '../../plant.js';
import type { Outcome } from '../oracle/expect-outcome.js';

/**
 * What is known of each id: that no plant has it, that one does, or that this one was deleted. It goes that way once, and a reply
 * was composed at some time between its request and itself. So what a reply shows must not come before what was known when its
 * request was sent; requests that are in flight together may come in either order.
 */
export interface Ledger {
  /** Notes that requests are about to be sent together, with what they may lead to. */
  send(outcomes: readonly Outcome[]): Observer;
  /** Compares all rows of the database with what is known. */
  compare(rows: readonly PlantRow[]): string[];
  /** The number of ids that must have a row. */
  readonly size: number;
  /** Those of them whose plant must be deleted. */
  readonly deleted: number;
}

/** Gets what the replies to some requests show. Each method returns what is wrong with it. */
export interface Observer {
  /** A plant was answered 200. */
  stored(plant: NewPlant, replayed: boolean): string[];
  /** A plant was rejected since another has its id. */
  taken(plant: NewPlant): string[];
  /** A plant was rejected since one with its id was deleted. */
  retired(plant: NewPlant): string[];
  /** A plant was rejected for what is wrong with its request. */
  rejected(plant: NewPlant): void;
  /** A plant was shown; without one, that there is some. */
  shown(id: bigint, plant?: Plant): string[];
  /** There is no plant with this id, or not any more. */
  absent(id: bigint): string[];
  /** A delete was answered 204. */
  deleted(id: bigint): string[];
  /** A delete was rejected since there never was a plant with this id. */
  neverStored(id: bigint): string[];
  /** A delete was rejected for what is wrong with its request. */
  notDeleted(id: bigint): void;
}

/** What is known of an id. The times count what was noted. */
interface Entry {
  /** Plants of requests that may have stored them: in flight, or without a reply. */
  readonly creates: Set<Plant>;
  /** How many plants were acknowledged as new. */
  created: number;
  /** How many deletes may have deleted its plant: in flight, without a reply, or with a 204. */
  deletes: number;
  /** The plant, once it was shown. */
  plant?: Plant;
  /** Plants that were rejected since another one has the id. */
  readonly others: Plant[];
  /** Since when it is known that there is a plant, or was one. */
  storedAt?: number;
  /** Since when it is known that it is deleted. */
  deletedAt?: number;
}

export function createLedger(): Ledger {
  const entries = new Map<bigint, Entry>();
  let time = 0;

  function entryOf(id: bigint): Entry {
    const known = entries.get(id) ?? { creates: new Set(), created: 0, deletes: 0, others: [] };
    entries.set(id, known);
    return known;
  }

  function noteStored(id: bigint, entry: Entry): string[] {
    entry.storedAt ??= ++time;
    return entry.created > 0 || entry.creates.size > 0 ? [] : [`nobody has created the plant ${id}`];
  }

  function noteDeleted(id: bigint): string[] {
    const entry = entryOf(id);
    entry.deletedAt ??= ++time;
    return [...noteStored(id, entry), ...(entry.deletes > 0 ? [] : [`nobody has deleted the plant ${id}`])];
  }

  return {
    get size() {
      return [...entries.values()].filter(({ storedAt }) => storedAt !== undefined).length;
    },
    get deleted() {
      return [...entries.values()].filter(({ deletedAt }) => deletedAt !== undefined).length;
    },
    send(outcomes) {
      const sentAt = ++time;
      for (const { operation, id, plant, plants = [{ plant }] } of outcomes) {
        for (const { plant: one } of plants) if (one !== undefined) entryOf(one.id).creates.add(one);
        if (operation === 'deletePlant' && id !== undefined) entryOf(id).deletes++;
      }
      const isBefore = (at: number | undefined) => at !== undefined && at < sentAt;

      function noteShown(id: bigint, plant?: Plant): string[] {
        const entry = entryOf(id);
        const { plant: known = plant } = entry;
        if (known !== undefined) entry.plant = known;
        return [
          ...noteStored(id, entry),
          ...(isBefore(entry.deletedAt) ? [`the plant ${id} is there, and was deleted before`] : []),
          ...(plant && known && !hasSameFields(plant, known) ? [`there are two plants ${id}`] : []),
        ];
      }

      return {
        stored(plant, replayed) {
          const entry = entryOf(plant.id);
          const isNew = !replayed && entry.created++ === 0 && !isBefore(entry.storedAt);
          const problems = isNew || replayed ? [] : [`the plant ${plant.id} was stored twice`];
          if (replayed) entry.creates.delete(plant);
          return [...problems, ...noteShown(plant.id, plant)];
        },
        taken(plant) {
          const entry = entryOf(plant.id);
          entry.creates.delete(plant);
          entry.others.push(plant);
          return noteShown(plant.id);
        },
        retired(plant) {
          entryOf(plant.id).creates.delete(plant);
          return noteDeleted(plant.id);
        },
        rejected: (plant) => void entryOf(plant.id).creates.delete(plant),
        shown: noteShown,
        absent: (id) => (isBefore(entries.get(id)?.storedAt) ? noteDeleted(id) : []),
        deleted: noteDeleted,
        neverStored(id) {
          const entry = entryOf(id);
          entry.deletes--;
          return isBefore(entry.storedAt) ? [`the plant ${id} was stored before`] : [];
        },
        notDeleted: (id) => void entryOf(id).deletes--,
      };
    },
    compare(rows) {
      const stored = new Map(rows.map((row) => [row.id, row]));
      return [
        ...rows.filter(({ id }) => !entries.has(id)).map(({ id }) => `nobody has sent the plant ${id}`),
        ...[...entries].flatMap(([id, entry]) =>
          compareOne(entry, stored.get(id)).map((problem) => `${id} ${problem}`),
        ),
      ];
    },
  };
}

function compareOne(entry: Entry, row: PlantRow | undefined): string[] {
  const { creates, created, deletes, others, storedAt, deletedAt } = entry;
  if (row === undefined) return storedAt === undefined ? [] : ['was acknowledged, and is not stored'];
  const inRow = row.deleted ? undefined : row;
  const plant = entry.plant ?? inRow;
  const mayBeCreated = created > 0 || [...creates].some((one) => !plant || hasSameFields(one, plant));
  return [
    ...(mayBeCreated ? [] : ['was stored, and not acknowledged']),
    ...(inRow && plant && !hasSameFields(inRow, plant)
      ? [`was acknowledged as ${describe(plant)} and stored as ${describe(inRow)}`]
      : []),
    ...(plant && others.some((other) => hasSameFields(other, plant))
      ? ['was rejected as taken, but no other plant has it']
      : []),
    ...(row.deleted && deletedAt === undefined && deletes === 0
      ? ['is deleted, which nobody asked for']
      : []),
    ...(row.deleted && !hasSameFields(row, withoutTexts) ? ['is deleted, and its text is left'] : []),
    ...(!row.deleted && deletedAt !== undefined ? ['was deleted, and is stored'] : []),
  ];
}

function describe(plant: Plant): string {
  return JSON.stringify(fieldsOf(plant));
}
