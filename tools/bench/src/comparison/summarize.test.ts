import { describe, expect, it } from 'vitest';
import type { Run } from './comparison-results.js';
import { summarize } from './summarize.js';

const run: Run = {
  target: 'plant-store',
  connections: 1,
  round: 1,
  measuredSeconds: 1,
  requestsPerSecond: 1000,
  p50Ms: 1,
  p99Ms: 2,
  maxMs: 3,
  acknowledged: 1000,
  errors: 0,
  errorCounts: {},
  generatorMicrosecondsPerReply: 20,
  peakMemoryBytes: 100,
  storedPlants: 1000,
  valid: true,
};

describe('summarize', () => {
  it('takes medians, extremes, the sum of the errors and the peak memory of the rounds', () => {
    const runs = [
      { ...run, requestsPerSecond: 900, p50Ms: 3, p99Ms: 9, errors: 1, peakMemoryBytes: 300 },
      { ...run, round: 2, requestsPerSecond: 100, p50Ms: 1, p99Ms: 7, peakMemoryBytes: 200 },
      { ...run, round: 3, requestsPerSecond: 800, p50Ms: 2, p99Ms: 8, errors: 2, valid: false },
    ];
    expect(summarize(runs)).toEqual([
      {
        target: 'plant-store',
        connections: 1,
        requestsPerSecond: 800,
        p50Ms: 2,
        p99Ms: 8,
        slowestRequestsPerSecond: 100,
        fastestRequestsPerSecond: 900,
        ratioToPlantStore: 1,
        errors: 3,
        peakMemoryBytes: 300,
        valid: false,
      },
    ]);
  });

  it('compares with the service at the same number of connections', () => {
    const runs = [
      run,
      { ...run, target: 'other', requestsPerSecond: 250 },
      { ...run, connections: 64, requestsPerSecond: 4000 },
      { ...run, target: 'other', connections: 64, requestsPerSecond: 400 },
    ];
    expect(summarize(runs).map(({ ratioToPlantStore }) => ratioToPlantStore)).toEqual([1, 0.25, 1, 0.1]);
  });

  it('has no ratio when the service was not measured', () => {
    expect(summarize([{ ...run, target: 'other' }])).toMatchObject([{ ratioToPlantStore: null }]);
  });
});
