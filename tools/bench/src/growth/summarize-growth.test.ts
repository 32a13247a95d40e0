import { expect, it } from 'vitest';
import type { GrowthRun } from './growth-results.js';
import { summarizeGrowth } from './summarize-growth.js';

function growthRun(plants: number, round: number, requestsPerSecond: number): GrowthRun {
  return {
    plants,
    round,
    requestsPerSecond,
    plantsBefore: plants,
    plantsAfter: plants + 10,
    measuredSeconds: 1,
    p50Ms: 1,
    p99Ms: 2,
    maxMs: 3,
    acknowledged: 10,
    errors: 0,
    errorCounts: {},
    generatorMicrosecondsPerReply: 20,
    valid: true,
  };
}

it('compares the medians of each size with those of the smallest', () => {
  const runs = [
    growthRun(1_000_000, 1, 450),
    growthRun(0, 1, 500),
    growthRun(1_000_000, 2, 350),
    growthRun(0, 2, 500),
  ];
  expect(summarizeGrowth(runs)).toMatchObject([
    { plants: 0, requestsPerSecond: 500, ratioToSmallest: 1, valid: true },
    { plants: 1_000_000, requestsPerSecond: 400, ratioToSmallest: 0.8, valid: true },
  ]);
});
