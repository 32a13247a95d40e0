import { crash } from './crash/crash.js';
import { disk } from './disk/disk.js';
import { proveInput } from './input/input.js';
import { proveModel } from './model/model.js';
import { network } from './network/network.js';
import type { Proof } from './proof.js';

/** Every proof, by the name that `--only` takes, in the order in which they run. */
export const allProofs: Readonly<Record<string, Proof>> = {
  crash,
  network,
  disk,
  model: proveModel,
  input: proveInput,
};
