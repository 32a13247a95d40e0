import { expect, it } from 'vitest';
import { hasFailures, runProofs, type Trials } from './proof.js';
import { formatRuns } from './report.js';

const trials = { name: 'a', promise: 'A 200 survives', short: 1_200, full: 1 };
const holds: Trials = {
  ...trials,
  prove: async (kills, { seed }) => ({ figures: { seed, kills, p99: 1.5 }, failures: [] }),
};
const broken: Trials = { ...trials, prove: () => Promise.reject('no disk') };
const notRun: Trials = { ...holds, promise: 'B', findMissingRequirement: () => 'It needs the user root.' };
const context = { seed: 7, amount: 'short', settings: {}, log: () => undefined } as const;

it('reports promises that held, trials that did not run, and rejected trials as failures, and runs the others', async () => {
  const runs = await runProofs({ some: [broken, notRun, holds] }, context);
  expect(formatRuns(runs).split('\n')).toEqual([
    'some: 1 failed: All trials of a complete',
    '  ',
    '- no disk',
    'some: not run: B',
    '  It needs the user root.',
    'some: holds: A 200 survives',
    '  seed 7; kills 1,200; p99 1.5',
    '',
  ]);
  expect(hasFailures(runs)).toBe(true);
  expect(hasFailures(await runProofs({ some: [notRun, holds] }, context))).toBe(false);
});
