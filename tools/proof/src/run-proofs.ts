import type { Proof, ProofContext, ProofResult } from './proof.js';

/** What a proof found, and how long it took. */
export interface ProofRun {
  readonly name: string;
  readonly seconds: number;
  readonly results: readonly ProofResult[];
}

/** Runs proofs one after the other. One that rejects counts as a failure, and ends no other. */
export async function runProofs(
  proofs: Readonly<Record<string, Proof>>,
  context: ProofContext,
): Promise<readonly ProofRun[]> {
  const runs: ProofRun[] = [];
  for (const [name, proof] of Object.entries(proofs)) {
    context.log(`${name}: started, seed ${context.seed}`);
    const startedAt = performance.now();
    const log = (line: string) => context.log(`${name}: ${line}`);
    const results = await proof({ ...context, log }).catch((error: unknown) => [describeEnd(name, error)]);
    runs.push({ name, seconds: Math.round((performance.now() - startedAt) / 100) / 10, results });
  }
  return runs;
}

/** Whether a promise was broken, or a proof ended early. */
export function hasFailures(runs: readonly ProofRun[]): boolean {
  return runs.some(({ results }) => results.some(({ failures }) => failures.length > 0));
}

function describeEnd(name: string, error: unknown): ProofResult {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    promise: `The proof ${name} runs to its end`,
    figures: {},
    failures: [text],
  };
}
