import { expect, it } from 'vitest';
import { type ScalingRun, summarizeScaling } from './summarize-scaling.js';

const run = (workers: number, requestsPerSecond: number, changes: Partial<ScalingRun> = {}): ScalingRun => ({
  workers,
  requestsPerSecond,
  p99Ms: 100 / workers,
  primaryMicroseconds: workers === 1 ? undefined : 5 * workers,
  workerMicroseconds: 50,
  errors: 1,
  valid: true,
  ...changes,
});

it('compares the medians of each number of workers with the fewest', () => {
  const summaries = summarizeScaling([
    run(4, 900, { valid: false }),
    run(1, 200),
    run(4, 700, { primaryMicroseconds: 30, workerMicroseconds: 70 }),
    run(1, 300),
    run(4, 750),
    run(1, 250),
  ]);
  expect(summaries).toEqual([
    {
      workers: 1,
      requestsPerSecond: 250,
      p99Ms: 100,
      primaryMicroseconds: undefined,
      workerMicroseconds: 50,
      errors: 3,
      valid: true,
      factor: 1,
    },
    {
      workers: 4,
      requestsPerSecond: 750,
      p99Ms: 25,
      primaryMicroseconds: 20,
      workerMicroseconds: 50,
      errors: 3,
      valid: false,
      factor: 3,
    },
  ]);
});
