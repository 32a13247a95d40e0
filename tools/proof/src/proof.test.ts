import { expect, it } from 'vitest';
import { hasFailures, type Proof, runProofs } from './proof.js';
import { formatRuns } from './report.js';

const trials = { name: 'a', promise: 'A 200 survives', short: 1_200, full: 1 };
const holds: Proof = [
  {
    ...trials,
    prove: async (kills, { seed }) => ({ figures: { seed, kills, p99: 1.5 }, failures: [] }),
  },
  { ...trials, promise: 'B', findObstacle: () => 'It needs the user root.', prove: () => Promise.reject() },
];
const broken: Proof = [{ ...trials, prove: () => Promise.reject(new Error('no disk')) }];
const context = { seed: 7, amount: 'short', settings: {}, log: () => undefined } as const;

it('a proof that rejects is a failure, and the next one runs', async () => {
  const runs = await runProofs({ broken, holds }, context);
  expect(runs.map(({ name }) => name)).toEqual(['broken', 'holds']);
  expect(runs[0]?.results[0]?.failures[0]).toContain('no disk');
  expect(hasFailures(runs)).toBe(true);
});

it('formats what held, and what did not run and why', async () => {
  const runs = await runProofs({ holds }, context);
  expect(hasFailures(runs)).toBe(false);
  expect(formatRuns(runs).split('\n').slice(2)).toEqual([
    '| holds | A 200 survives |   holds | seed 7; kills 1,200; p99 1.5 |',
    '| holds |              B | not run |      It needs the user root. |',
    '',
  ]);
});

it('prints the first failures of a promise, and how many there are', () => {
  const failures = Array.from({ length: 12 }, (_, index) => `failure ${index}`);
  const text = formatRuns([
    { name: 'crash', seconds: 1, results: [{ promise: 'A', figures: {}, failures }] },
  ]);
  expect(text).toContain('12 failed');
  expect(text).toContain('Failed: A\n- failure 0\n');
  expect(text).toContain('- failure 9\n- and 2 more\n');
});
