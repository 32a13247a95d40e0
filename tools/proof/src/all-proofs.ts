import { crash } from './crash/crash.js';
import { disk } from './disk/disk.js';
import { network } from './network/network.js';
import type { Proof } from './proof.js';
import { races } from './races/races.js';

/**
 * Every proof, by the name that `--only` takes, in the order in which they run. What generates requests takes more than a
 * second to load, so these two load when they run.
 */
export const allProofs: Readonly<Record<string, Proof>> = {
  crash,
  network,
  disk,
  races,
  model: async (context) => (await import('./model/model.js')).proveModel(context),
  input: async (context) => (await import('./input/input.js')).proveInput(context),
};
