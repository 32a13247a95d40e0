import type { Row, StateRow } from '../system/databases.js';
import type { Ledger } from './ledger.js';
import { describeRecord, nameOf, toJson } from './records.js';

/**
 * Compares the history of all records with the records and a ledger, while no request is in flight. For each record it checks that
 * - the states follow each other without a gap, and end with the current record
 * - a caller sent each state
 * - each acknowledged or shown state exists, unless the record might have been deleted since
 *
 * @returns a description of each record whose history is wrong
 */
export function compareStates(
  ledger: Ledger,
  rows: readonly Row[],
  states: readonly StateRow[],
): readonly string[] {
  const replaced = Map.groupBy(states, nameOf);
  const current = new Map(rows.map((row) => [nameOf(row), row]));
  const failures = [...replaced.keys()]
    .filter((name) => !current.has(name))
    .map((name) => `history: ${name} has states, and no row`);
  for (const [name, row] of current) {
    const before = (replaced.get(name) ?? []).toSorted((a, b) => a.place - b.place);
    const problem = row.deleted
      ? before.length > 0 && 'a deleted record has states'
      : (findGap(before, row) ?? findDifference(ledger, name, before, row));
    if (problem) failures.push(`history: ${problem}: ${describeHistory(before, row)}`);
  }
  return failures;
}

/** Describes the first gap between two states, or the first two equal states, if any. */
function findGap(before: readonly StateRow[], row: Row): string | undefined {
  for (const [index, { fields, until }] of before.entries()) {
    const next = before[index + 1] ?? row;
    if (until !== next.since) return `a state ends at ${until}, and the next begins at ${next.since}`;
    if (row.resource.isSame(fields, next.fields)) return `a state that ends at ${until} equals the next`;
  }
  return undefined;
}

/** Describes the first state that no caller sent, or the first acknowledged state that is missing, if any. */
function findDifference(
  ledger: Ledger,
  name: string,
  before: readonly StateRow[],
  row: Row,
): string | undefined {
  const entry = ledger.entries.get(name);
  // A record that no caller sent is reported as a phantom.
  if (entry === undefined) return undefined;
  const requests = [...entry.writes.values()];
  const sent = new Set(requests.map(({ record }) => toJson(row.resource.pick(record.fields))));
  const found = new Set([...before, row].map(({ fields }) => toJson(row.resource.pick(fields))));
  const phantom = [...found].find((fields) => !sent.has(fields));
  if (phantom !== undefined) return `no caller sent ${phantom.slice(0, 200)}`;
  if (requests.some((request) => request.action === 'delete' || request.action === 'reuseId'))
    return undefined;
  const lost = [...entry.seen].find((fields) => !found.has(fields));
  return lost && `${lost.slice(0, 200)} was acknowledged, and is missing`;
}

const describeHistory = (before: readonly StateRow[], row: Row) =>
  [
    describeRecord(row),
    ...before.map(({ since, until, fields }) =>
      `from ${since} until ${until}: ${toJson(fields)}`.slice(0, 200),
    ),
  ].join('\n  ');
