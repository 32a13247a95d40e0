import { describePlant, type Entry, isSame, type Ledger } from './ledger.js';
import type { SentPlant } from './random-plants.js';

/** How a database differs from what callers know. */
export interface Comparison {
  /** Ids of which a plant was acknowledged. */
  readonly acknowledged: number;
  /** Acknowledged plants that are not there, or changed. */
  readonly lost: number;
  /** Rows that nobody sent, or whose every request was rejected. */
  readonly phantom: number;
  /** Rows with the id of another row. */
  readonly double: number;
  /** Ids without an acknowledged plant, of which a request had no definite outcome. */
  readonly unknown: number;
  /** Those of them that are stored. */
  readonly unknownStored: number;
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
  rows: readonly SentPlant[],
  ids: Iterable<bigint> = ledger.entries.keys(),
): Comparison {
  const counts = { acknowledged: 0, lost: 0, phantom: 0, double: 0, unknown: 0, unknownStored: 0 };
  const failures: string[] = [];
  const fail = (kind: 'lost' | 'phantom' | 'double', text: string) => {
    counts[kind]++;
    failures.push(`${kind}: ${text}`);
  };

  const stored = new Map<bigint, SentPlant>();
  for (const row of rows) {
    if (stored.has(row.id)) fail('double', describePlant(row));
    stored.set(row.id, row);
    if (!ledger.entries.has(row.id)) fail('phantom', describePlant(row));
  }
  for (const id of ids) {
    const entries = ledger.entries.get(id) ?? [];
    const row = stored.get(id);
    const acknowledged = entries.find((entry) => entry.acknowledged);
    if (acknowledged !== undefined) {
      counts.acknowledged++;
      if (row === undefined || !isSame(row, acknowledged.plant))
        fail('lost', describeLoss(acknowledged, row));
    } else {
      if (entries.some(({ unresolved }) => unresolved > 0)) counts.unknown++;
      if (row !== undefined) counts.unknownStored++;
      const failure = findUnacknowledgedFailure(entries, row);
      if (failure !== undefined)
        fail(failure, row === undefined ? `the plant that took ${id}` : describePlant(row));
    }
  }
  return { ...counts, shown: ledger.shown, failures };
}

/** What is wrong with an id of which no plant was acknowledged. */
function findUnacknowledgedFailure(
  entries: readonly Entry[],
  row: SentPlant | undefined,
): 'lost' | 'phantom' | undefined {
  // Whoever was answered `id_taken` knows that another plant is stored.
  if (row === undefined) return entries.some(({ taken }) => taken) ? 'lost' : undefined;
  const entry = entries.find(({ plant }) => isSame(plant, row));
  return entry === undefined || entry.taken || entry.unresolved === 0 ? 'phantom' : undefined;
}

function describeLoss({ plant }: Entry, row: SentPlant | undefined): string {
  return `${describePlant(plant)}${row === undefined ? '' : `, but stored is ${describePlant(row)}`}`;
}
