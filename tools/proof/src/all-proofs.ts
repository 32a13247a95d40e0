import { crash } from './kinds/crash.js';
import { disk } from './kinds/disk.js';
import { failover } from './kinds/failover.js';
import { follow } from './kinds/follow.js';
import { network } from './kinds/network.js';
import { races } from './kinds/races.js';
import { restore } from './kinds/restore.js';
import type { Proof, Trials } from './proof.js';

const model: Proof = [
  {
    name: 'model',
    promise: 'Both engines, workers, and the fake plant store give the same replies',
    // A trial is a sequence of up to 40 commands.
    short: 4,
    full: 150,
    // Loaded on demand, because the generator takes a second to load.
    prove: async (count, context) => (await import('./model/model.js')).proveModel(count, context),
  },
];

/** The proofs in the order in which they run, by the names that `--only` takes. */
export const allProofs: Readonly<Record<string, Proof>> = {
  crash,
  failover,
  network,
  disk,
  races,
  follow,
  restore,
  model,
};

/** The kinds of trials of all proofs. `--trials` takes their names. */
export const allKinds: readonly Trials[] = Object.values(allProofs).flat();
