import type { ProofResult, ProofRun } from './proof.js';

/** Formats all promises, each with its outcome, its figures, and its failures. */
export function formatRuns(runs: readonly ProofRun[]): string {
  return runs
    .flatMap(({ name, results }) => results.map((result) => `${name}: ${describe(result)}`))
    .join('');
}

function describe({ promise, figures, failures, notRun }: ProofResult): string {
  const outcome =
    failures.length > 0 ? `${failures.length} failed` : notRun === undefined ? 'holds' : 'not run';
  const texts = Object.entries(figures).map(([name, value]) => `${name} ${value.toLocaleString('en-US')}`);
  return [
    `${outcome}: ${promise}`,
    `  ${notRun ?? texts.join('; ')}`,
    ...failures.map((failure) => `- ${failure}`),
    '',
  ].join('\n');
}
