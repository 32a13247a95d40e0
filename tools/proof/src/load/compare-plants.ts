import { hasSameFields } from '@plant-store/contract/fields';
import type { PlantRow } from '../system/databases.js';
import type { Known, Ledger } from './ledger.js';
import { describePlant, withoutTexts } from './plants.js';

/** How a database differs from what callers know. */
export interface Comparison {
  readonly counts: Counts;
  /** A description of each row or plant that is lost, phantom or double. */
  readonly failures: readonly string[];
}

const noCounts = {
  /** Ids of which a plant was acknowledged. */
  acknowledged: 0,
  /** Ids of plants that are known to be deleted. */
  deleted: 0,
  /** Acknowledged plants that are not there, or changed. */
  lost: 0,
  /** Ids of plants that are known to be deleted, of which there is no row, or the plant is there, or a text of it. */
  'lost deletes': 0,
  /** Rows that nobody sent, or whose every request was rejected. */
  phantom: 0,
  /** Rows with the id of another row. */
  double: 0,
  /** Ids without an acknowledged plant, of which a request had no definite outcome; and those of them that are stored. */
  'outcome unknown': 0,
  'of those stored': 0,
  /** The same of deletes; and those whose plant is deleted. */
  'deletes unknown': 0,
  'of those deleted': 0,
};
export type Counts = typeof noCounts;

/** Compares all rows of the database with a ledger, while no request is in flight. */
export function comparePlants(ledger: Ledger, rows: readonly PlantRow[]): Comparison {
  const counts = { ...noCounts };
  const failures: string[] = [];
  const fail = (kind: Loss | 'double', text: string) => {
    counts[kind]++;
    failures.push(`${kind}: ${text}`);
  };

  const stored = new Map<bigint, PlantRow>();
  for (const row of rows) {
    if (stored.has(row.id)) fail('double', describeRow(row));
    stored.set(row.id, row);
    if (!ledger.known.has(row.id)) fail('phantom', describeRow(row));
  }
  for (const [id, known] of ledger.known) {
    const row = stored.get(id);
    const acknowledged = known.entries.find((entry) => entry.acknowledged);
    if (acknowledged !== undefined) counts.acknowledged++;
    if (known.deletedAt !== undefined) counts.deleted++;
    else {
      if (known.deletes > 0) counts['deletes unknown']++;
      if (known.deletes > 0 && row?.deleted) counts['of those deleted']++;
      const isUnknown = acknowledged === undefined && known.entries.some(({ unresolved }) => unresolved > 0);
      if (isUnknown) counts['outcome unknown']++;
      if (isUnknown && row !== undefined) counts['of those stored']++;
    }
    const loss = findLoss(known, row);
    const expected = acknowledged === undefined ? `the plant of ${id}` : describePlant(acknowledged.plant);
    if (loss !== undefined)
      fail(loss, `${expected}, stored is ${row === undefined ? 'nothing' : describeRow(row)}`);
  }
  return { counts, failures };
}

type Loss = 'lost' | 'lost deletes' | 'phantom';

/** What is wrong with the row of an id. */
function findLoss({ entries, deletes, deletedAt }: Known, row: PlantRow | undefined): Loss | undefined {
  if (deletedAt !== undefined || row?.deleted) {
    const isErased = row?.deleted === true && hasSameFields(row, withoutTexts);
    if (!isErased) return 'lost deletes';
    if (deletedAt !== undefined) return undefined;
    // It is deleted, though nobody knows of that.
    if (!entries.some(({ acknowledged, unresolved }) => acknowledged || unresolved > 0)) return 'phantom';
    return deletes === 0 ? 'lost' : undefined;
  }
  const acknowledged = entries.find((entry) => entry.acknowledged);
  if (acknowledged !== undefined)
    return row !== undefined && hasSameFields(row, acknowledged.plant) ? undefined : 'lost';
  // Whoever was answered `id_taken` knows that another plant is stored.
  if (row === undefined) return entries.some(({ taken }) => taken) ? 'lost' : undefined;
  const entry = entries.find(({ plant }) => hasSameFields(plant, row));
  return entry === undefined || entry.taken || entry.unresolved === 0 ? 'phantom' : undefined;
}

function describeRow(row: PlantRow): string {
  return row.deleted ? `deleted ${describePlant(row)}` : describePlant(row);
}
