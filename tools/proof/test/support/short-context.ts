import type { ProofContext } from '../../src/proof.js';
import { isNightly } from './is-nightly.js';

/** The fewest trials that have each behaviour at least once, for the proofs that run by default. */
const fewestTrials = { 'crash-sqlite': 3, 'disk-gone': 1, 'races-sqlite': 50, model: 1, input: 200 };

/** How the tests run a proof: in its short form, with even fewer trials unless the mode is `nightly`. */
export function shortContext(seed: number): ProofContext {
  return {
    seed,
    amount: 'short',
    settings: {},
    log: () => undefined,
    ...(!isNightly && { trials: fewestTrials }),
  };
}
