import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import type { ProofContext } from '../proof.js';
import type { ProofRun } from '../run-proofs.js';

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
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(document, null, 2)}\n`);
}
