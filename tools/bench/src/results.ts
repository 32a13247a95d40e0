import { fileURLToPath } from 'node:url';
import type { Machine } from './machine.js';
import type { Run, Settings } from './measure-targets.js';
import type { Target } from './targets.js';

/** Returns the path of committed results, such as `latest`. */
export const resultPath = (name: string) =>
  fileURLToPath(new URL(`../results/${name}.json`, import.meta.url));

/** The path of the chart that shows `results/latest.json`. */
export const chartPath = fileURLToPath(new URL('../../../docs/use/performance.svg', import.meta.url));

/** Committed results, without the individual rounds. */
export interface Comparison {
  readonly machine: Machine;
  /** The database engine, with its version. */
  readonly database: string;
  readonly settings: Settings;
  readonly targets: readonly ComparedTarget[];
  readonly summaries: readonly Summary[];
}

/** A measured target. */
export interface ComparedTarget extends Pick<Target, 'name' | 'title' | 'leavesOut' | 'cores'> {
  readonly versions: string;
  readonly stores: boolean;
}

/** The rounds of one target under one load: their medians, the slowest and fastest round, and the sum of their errors. */
export interface Summary extends Omit<Run, 'round' | 'acknowledged' | 'maxMs'> {
  readonly slowestRequestsPerSecond: number;
  readonly fastestRequestsPerSecond: number;
}
