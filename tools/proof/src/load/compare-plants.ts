import { hasSameFields } from '@plant-store/contract/fields';
import type { PlantRow } from '../databases/database.js';
import { withoutTexts } from '../plant.js';
import { describePlant, type Entry, type Ledger } from './ledger.js';

/** How a database differs from what callers know. */
export interface Comparison {
  /** Ids of which a plant was acknowledged. */
  readonly acknowledged: number;
  /** Ids of plants that are known to be deleted. */
  readonly deleted: number;
  /** Acknowledged plants that are not there, or changed. */
  readonly lost: number;
  /** Ids of plants that are known to be deleted, of which there is no row, or the plant is there, or a text of it. */
  readonly lostDeletes: number;
  /** Rows that nobody sent, or whose every request was rejected. */
  readonly phantom: number;
  /** Rows with the id of another row. */
  readonly double: number;
  /** Ids without an acknowledged plant, of which a request had no definite outcome. */
  readonly unknown: number;
  /** Those of them that are stored. */
  readonly unknownStored: number;
  /** Ids of plants that are not known to be deleted, of which a delete had no definite outcome. */
  readonly unknownDeletes: number;
  /** Those of them whose plant is deleted. */
  readonly unknownDeleted: number;
  /** Plants that reads showed, each as often as it was shown. */
  readonly shown: number;
  /** A description of each row or plant that is lost, phantom or double. */
  readonly failures: readonly string[];
}

/**
 * Compares rows of the database with a ledger, while no request is in flight.
 *
 * @param ids the ids to look at, of which `rows` are all rows; all by default
 */
export function comparePlants(
  ledger: Ledger,
  rows: readonly PlantRow[],
  ids: Iterable<bigint> = ledger.entries.keys(),
): Comparison {
  const counts = {
    ...{ acknowledged: 0, deleted: 0, lost: 0, lostDeletes: 0, phantom: 0, double: 0 },
    ...{ unknown: 0, unknownStored: 0, unknownDeletes: 0, unknownDeleted: 0 },
  };
  const failures: string[] = [];
  const fail = (kind: Loss | 'double', text: string) => {
    counts[kind]++;
    failures.push(`${losses[kind]}: ${text}`);
  };

  const stored = new Map<bigint, PlantRow>();
  for (const row of rows) {
    if (stored.has(row.id)) fail('double', describeRow(row));
    stored.set(row.id, row);
    if (!ledger.entries.has(row.id)) fail('phantom', describeRow(row));
  }
  for (const id of ids) {
    const entries = ledger.entries.get(id) ?? [];
    const row = stored.get(id);
    const isRetired = ledger.isRetired(id);
    const isAcknowledged = entries.some(({ acknowledged }) => acknowledged);
    if (isAcknowledged) counts.acknowledged++;
    if (isRetired) counts.deleted++;
    if (!isRetired && ledger.unresolvedDeletes(id) > 0) {
      counts.unknownDeletes++;
      if (row?.deleted) counts.unknownDeleted++;
    }
    if (!isRetired && !isAcknowledged) {
      if (entries.some(({ unresolved }) => unresolved > 0)) counts.unknown++;
      if (row !== undefined) counts.unknownStored++;
    }
    const loss = isRetired
      ? findLostDelete(row)
      : row?.deleted
        ? (findLostDelete(row) ?? findWrongDelete(ledger, id, entries))
        : findLoss(entries, row);
    if (loss !== undefined) fail(loss, describeLoss(id, entries, row));
  }
  return { ...counts, shown: ledger.shown, failures };
}

type Loss = 'lost' | 'lostDeletes' | 'phantom';
const losses = { lost: 'lost', lostDeletes: 'lost delete', phantom: 'phantom', double: 'double' } as const;

/** What is wrong with an id that must have a row without texts. */
function findLostDelete(row: PlantRow | undefined): Loss | undefined {
  const isErased = row?.deleted === true && hasSameFields(row, withoutTexts);
  return isErased ? undefined : 'lostDeletes';
}

/** What is wrong with an id whose plant is deleted, though nobody knows of that. */
function findWrongDelete(ledger: Ledger, id: bigint, entries: readonly Entry[]): Loss | undefined {
  if (!entries.some(({ acknowledged, unresolved }) => acknowledged || unresolved > 0)) return 'phantom';
  return ledger.unresolvedDeletes(id) === 0 ? 'lost' : undefined;
}

/** What is wrong with an id whose plant is not deleted. */
function findLoss(entries: readonly Entry[], row: PlantRow | undefined): Loss | undefined {
  const acknowledged = entries.find((entry) => entry.acknowledged);
  if (acknowledged !== undefined)
    return row !== undefined && hasSameFields(row, acknowledged.plant) ? undefined : 'lost';
  // Whoever was answered `id_taken` knows that another plant is stored.
  if (row === undefined) return entries.some(({ taken }) => taken) ? 'lost' : undefined;
  const entry = entries.find(({ plant }) => hasSameFields(plant, row));
  return entry === undefined || entry.taken || entry.unresolved === 0 ? 'phantom' : undefined;
}

function describeLoss(id: bigint, entries: readonly Entry[], row: PlantRow | undefined): string {
  const acknowledged = entries.find((entry) => entry.acknowledged);
  const expected = acknowledged === undefined ? `the plant of ${id}` : describePlant(acknowledged.plant);
  return `${expected}, stored is ${row === undefined ? 'nothing' : describeRow(row)}`;
}

function describeRow(row: PlantRow): string {
  return row.deleted ? `deleted ${describePlant(row)}` : describePlant(row);
}
