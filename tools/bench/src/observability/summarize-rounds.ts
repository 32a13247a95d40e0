import { median } from '@plant-store/report';

/** The processor time of a create, in microseconds, with each of the settings in one round. */
export type Round = readonly number[];

/** What a setting costs. */
export interface Cost {
  /** The processor time of a create, in microseconds: the median of the rounds. */
  readonly microseconds: number;
  /** The median of its ratios to the first setting in the same round. */
  readonly ratio: number;
}

/** Summarizes rounds: what each setting costs, in their order. Ratios within a round vary less than times between rounds. */
export function summarizeRounds(rounds: readonly Round[]): Cost[] {
  const [first = []] = rounds;
  return first.map((_, setting) => ({
    microseconds: median(rounds.map((round) => round[setting] ?? Number.NaN)),
    ratio: median(rounds.map((round) => (round[setting] ?? Number.NaN) / (round[0] ?? Number.NaN))),
  }));
}
