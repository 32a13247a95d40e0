import { availableParallelism } from 'node:os';
import { formatCount, formatTable, writeJson } from '@plant-store/report';
import type { ProofContext, ProofResult, ProofRun } from './proof.js';

/** The most failures of one promise that are printed; `--output` has all. */
const printedFailures = 10;

/** A table of all promises, and below it the failures. */
export function formatRuns(runs: readonly ProofRun[]): string {
  const rows = runs.flatMap(({ name, results }) =>
    results.map((result) => [name, result.promise, describeOutcome(result), describeFigures(result)]),
  );
  const failures = runs.flatMap(({ results }) => results.flatMap(describeFailures));
  return [formatTable(['proof', 'promise', 'outcome', 'figures'], rows), ...failures, ''].join('\n');
}

function describeOutcome({ failures, notRun }: ProofResult): string {
  if (failures.length > 0) return `${failures.length} failed`;
  return notRun === undefined ? 'holds' : 'not run';
}

function describeFigures({ figures, notRun }: ProofResult): string {
  const texts = Object.entries(figures).map(
    ([name, value]) => `${name} ${typeof value === 'number' ? formatFigure(value) : value}`,
  );
  return [...(notRun === undefined ? [] : [notRun]), ...texts].join('; ');
}

/** Counts with separators; measured values as they are. */
function formatFigure(value: number): string {
  return Number.isInteger(value) ? formatCount(value) : String(value);
}

function describeFailures({ promise, failures }: ProofResult): string[] {
  if (failures.length === 0) return [];
  const printed = failures.slice(0, printedFailures).map((failure) => `- ${failure}`);
  const left = failures.length - printed.length;
  return ['', `Failed: ${promise}`, ...printed, ...(left > 0 ? [`- and ${formatCount(left)} more`] : [])];
}

/** Writes all that a run of the command found, as JSON. */
export function writeRuns(
  path: string,
  { seed, amount, settings }: Pick<ProofContext, 'seed' | 'amount' | 'settings'>,
  proofs: readonly ProofRun[],
): void {
  const document = {
    date: new Date().toISOString(),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    processors: availableParallelism(),
    seed,
    amount,
    settings,
    proofs,
  };
  writeJson(path, document);
}
