import type { Row } from '../system/databases.js';
import type { State } from './history.js';
import type { Ledger } from './ledger.js';
import { describeRecord, erasedFields, nameOf, toJson } from './records.js';

/** The differences between a database and what callers know. */
export interface Comparison {
  readonly counts: Counts;
  /** Descriptions of the lost, phantom, and double rows and records. */
  readonly failures: readonly string[];
}

const noCounts = {
  /** IDs with an acknowledged record. */
  acknowledged: 0,
  /** IDs of records that are known to be deleted. */
  deleted: 0,
  /** Acknowledged records that are missing, or differ from their last state. */
  lost: 0,
  /** IDs of records known to be deleted that have no row, or whose row still has values of the record. */
  'lost deletes': 0,
  /** Rows that no caller sent, or whose requests were all rejected. */
  phantom: 0,
  /** Rows with the ID of another row. */
  double: 0,
  /** IDs whose state is unknown, because an unanswered request might have changed it. */
  'outcome unknown': 0,
  /** Of those IDs, how many an unanswered request did change. */
  'of those changed': 0,
};
export type Counts = typeof noCounts;

/** Compares all rows of the database with a ledger, while no request is in flight. */
export function compareRecords(ledger: Ledger, rows: readonly Row[]): Comparison {
  const counts = { ...noCounts };
  const failures: string[] = [];
  const fail = (kind: 'lost' | 'lost deletes' | 'phantom' | 'double', text: string) => {
    counts[kind]++;
    failures.push(`${kind}: ${text}`);
  };

  const stored = new Map<string, Row>();
  for (const row of rows) {
    const name = nameOf(row);
    if (stored.has(name)) fail('double', describeRow(row));
    stored.set(name, row);
    if (!ledger.entries.has(name)) fail('phantom', describeRow(row));
  }
  for (const [name, entry] of ledger.entries) {
    // If no order explains the replies, the ledger reports the failure.
    if (!ledger.check(entry)) continue;
    const row = stored.get(name);
    const states = entry.possibleStates.map(({ state }) => state);
    const isDeleted = states.every((state) => state === 'a deleted record');
    const isAcknowledged = !states.includes('nothing');
    if (isAcknowledged) counts.acknowledged++;
    if (isDeleted) counts.deleted++;
    // The state in which no unanswered request was carried out is the one with the most of them.
    const maxUnanswered = Math.max(...entry.possibleStates.map(({ unanswered }) => unanswered.length));
    const unchanged =
      entry.possibleStates.find(({ unanswered }) => unanswered.length === maxUnanswered)?.state ?? 'nothing';
    const isUnknown = new Set(states.map(toJson)).size > 1;
    counts['outcome unknown'] += Number(isUnknown);
    counts['of those changed'] += Number(isUnknown && !isStored(unchanged, row));
    if (states.some((state) => isStored(state, row))) continue;
    const isHalfDeleted = row?.deleted === true && !isErased(row);
    const kind = isDeleted || isHalfDeleted ? 'lost deletes' : isAcknowledged ? 'lost' : 'phantom';
    const expected = states.map((state) => toJson(state).slice(0, 200)).join(' or ');
    fail(kind, `${name} is ${expected}, stored is ${row === undefined ? 'nothing' : describeRow(row)}`);
  }
  return { counts, failures };
}

function isStored(state: State, row: Row | undefined): boolean {
  if (state === 'nothing' || row === undefined) return state === 'nothing' && row === undefined;
  if (state === 'a deleted record') return row.deleted && isErased(row);
  return !row.deleted && row.resource.isSame(row.fields, state.fields);
}

const isErased = ({ resource, fields }: Row) => resource.isSame(fields, erasedFields(resource));

function describeRow(row: Row): string {
  return row.deleted ? `deleted ${describeRecord(row)}` : describeRecord(row);
}
