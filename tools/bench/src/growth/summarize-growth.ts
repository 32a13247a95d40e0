import { medians, outcomeOf } from '@plant-store/report';
import type { GrowthRun, GrowthSummary } from './growth-results.js';

/** Summarizes the rounds of each size, smallest first. */
export function summarizeGrowth(runs: readonly GrowthRun[]): GrowthSummary[] {
  const sizes = [...new Set(runs.map(({ plants }) => plants))].toSorted((a, b) => a - b);
  const summaries = sizes.map((plants) => {
    const rounds = runs.filter((run) => run.plants === plants);
    return {
      plants,
      ...medians(rounds, 'requestsPerSecond', 'p50Ms', 'p99Ms'),
      ...outcomeOf(rounds),
    };
  });
  const smallest = summaries[0]?.requestsPerSecond ?? Number.NaN;
  return summaries.map((summary) => ({ ...summary, ratioToSmallest: summary.requestsPerSecond / smallest }));
}
