import { medians, outcomeOf } from '@plant-store/report';
import type { Run, Summary } from './comparison-results.js';

const reference = 'plant-store';

/** Summarizes the rounds of each target at each number of connections, in the order of the runs. */
export function summarize(runs: readonly Run[]): Summary[] {
  const groups = Map.groupBy(runs, ({ target, connections }) => `${target} ${connections}`);
  const summaries = [...groups.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [summarizeRounds(first, [first, ...others])],
  );
  return summaries.map((summary) => {
    const ours = summaries.find(
      ({ target, connections }) => target === reference && connections === summary.connections,
    );
    const ratioToPlantStore = ours ? summary.requestsPerSecond / ours.requestsPerSecond : null;
    return { ...summary, ratioToPlantStore };
  });
}

function summarizeRounds({ target, connections }: Run, rounds: readonly Run[]): Summary {
  const speeds = rounds.map((run) => run.requestsPerSecond);
  return {
    target,
    connections,
    ...medians(rounds, 'requestsPerSecond', 'p50Ms', 'p99Ms'),
    slowestRequestsPerSecond: Math.min(...speeds),
    fastestRequestsPerSecond: Math.max(...speeds),
    ratioToPlantStore: null,
    peakMemoryBytes: Math.max(...rounds.map((run) => run.peakMemoryBytes)),
    ...outcomeOf(rounds),
  };
}
