import { crash } from './kinds/crash.js';
import { disk } from './kinds/disk.js';
import { failover } from './kinds/failover.js';
import { network } from './kinds/network.js';
import { races } from './kinds/races.js';
import { model } from './model/model.js';
import type { Proof, Trials } from './proof.js';

/** Every proof, by the name that `--only` takes, in the order in which they run. */
export const allProofs: Readonly<Record<string, Proof>> = { crash, failover, network, disk, races, model };

/** The kinds of all of them, by whose names `--trials` goes. */
export const allKinds: readonly Trials[] = Object.values(allProofs).flat();
