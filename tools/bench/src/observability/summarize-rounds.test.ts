import { expect, it } from 'vitest';
import { summarizeRounds } from './summarize-rounds.js';

it('compares the settings within each round, since the machine differs from round to round', () => {
  const rounds = [
    [40, 41, 42],
    [80, 84, 80],
    [50, 55, 60],
  ];
  expect(summarizeRounds(rounds)).toEqual([
    { microseconds: 50, ratio: 1 },
    { microseconds: 55, ratio: 1.05 },
    { microseconds: 60, ratio: 1.05 },
  ]);
});
