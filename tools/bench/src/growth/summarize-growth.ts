import { median } from '@plant-store/report';
import type { GrowthRun, GrowthSummary } from './growth-results.js';

/** Summarizes the rounds of each size, smallest first. */
export function summarizeGrowth(runs: readonly GrowthRun[]): GrowthSummary[] {
  const sizes = [...new Set(runs.map(({ plants }) => plants))].toSorted((a, b) => a - b);
  const summaries = sizes.map((plants) => {
    const rounds = runs.filter((run) => run.plants === plants);
    return {
      plants,
      requestsPerSecond: median(rounds.map((run) => run.requestsPerSecond)),
      p50Ms: median(rounds.map((run) => run.p50Ms)),
      p99Ms: median(rounds.map((run) => run.p99Ms)),
      errors: rounds.reduce((sum, run) => sum + run.errors, 0),
      valid: rounds.every((run) => run.valid),
    };
  });
  const smallest = summaries[0]?.requestsPerSecond ?? Number.NaN;
  return summaries.map((summary) => ({ ...summary, ratioToSmallest: summary.requestsPerSecond / smallest }));
}
