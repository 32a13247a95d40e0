import { median, medians, outcomeOf } from '@plant-store/report';

/** One number of workers in one round. */
export interface ScalingRun {
  readonly workers: number;
  readonly requestsPerSecond: number;
  readonly p99Ms: number;
  /** Processor time per plant, in microseconds; `undefined` for a service without workers. */
  readonly primaryMicroseconds: number | undefined;
  /** The sum of the processes that do the work, per plant, in microseconds. */
  readonly workerMicroseconds: number;
  readonly errors: number;
  readonly valid: boolean;
}

/** The medians of the rounds of a number of workers. */
export interface ScalingSummary extends ScalingRun {
  /** Its creates per second relative to those of the fewest workers. */
  readonly factor: number;
}

/** Summarizes the rounds of each number of workers, fewest first. */
export function summarizeScaling(runs: readonly ScalingRun[]): ScalingSummary[] {
  const counts = [...new Set(runs.map(({ workers }) => workers))].toSorted((a, b) => a - b);
  const summaries = counts.map((workers) => {
    const rounds = runs.filter((run) => run.workers === workers);
    const ofPrimary = rounds.flatMap(({ primaryMicroseconds }) => primaryMicroseconds ?? []);
    return {
      workers,
      ...medians(rounds, 'requestsPerSecond', 'p99Ms', 'workerMicroseconds'),
      primaryMicroseconds: ofPrimary.length === 0 ? undefined : median(ofPrimary),
      ...outcomeOf(rounds),
    };
  });
  const fewest = summaries[0]?.requestsPerSecond ?? Number.NaN;
  return summaries.map((summary) => ({ ...summary, factor: summary.requestsPerSecond / fewest }));
}
