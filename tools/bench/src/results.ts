import { fileURLToPath } from 'node:url';
import type { Machine } from './machine.js';
import type { Run, Settings } from './measure-targets.js';
import type { Target } from './targets.js';

/** The file of committed results. */
export const resultPath = (name: string) =>
  fileURLToPath(new URL(`../results/${name}.json`, import.meta.url));

/** The chart of `results/latest.json`. */
export const chartPath = fileURLToPath(new URL('../../../docs/use/performance.svg', import.meta.url));

/** The content of a file, without the rounds. */
export interface Comparison {
  readonly machine: Machine;
  /** The database of all targets, with its version. */
  readonly database: string;
  readonly settings: Settings;
  readonly targets: readonly ComparedTarget[];
  readonly summaries: readonly Summary[];
}

/** A measured target. Older files have no versions, and no CPU times in their summaries. */
export interface ComparedTarget extends Pick<Target, 'name' | 'title' | 'leavesOut' | 'cores'> {
  readonly versions?: string;
  readonly stores: boolean;
}

/** All rounds of one target under one load: medians, the slowest and the fastest, and the sum of the errors. */
export interface Summary extends Omit<Run, 'round' | 'acknowledged' | 'maxMs'> {
  readonly slowestRequestsPerSecond: number;
  readonly fastestRequestsPerSecond: number;
}
