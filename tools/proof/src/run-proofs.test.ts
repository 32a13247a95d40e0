import { expect, it } from 'vitest';
import type { Proof } from './proof.js';
import { hasFailures, runProofs } from './run-proofs.js';

const holds: Proof = async ({ seed }) => [{ promise: 'held', figures: { seed }, failures: [] }];
const context = { seed: 7, amount: 'short', settings: {}, log: () => undefined } as const;

it('a proof that rejects is a failure, and the next one runs', async () => {
  const runs = await runProofs({ broken: () => Promise.reject(new Error('no disk')), holds }, context);
  expect(runs.map(({ name }) => name)).toEqual(['broken', 'holds']);
  expect(runs[0]?.results[0]?.failures[0]).toContain('no disk');
  expect(hasFailures(runs)).toBe(true);
});

it('proofs get the seed, and none fails if all promises hold', async () => {
  const runs = await runProofs({ holds }, context);
  expect(runs[0]?.results).toEqual([{ promise: 'held', figures: { seed: 7 }, failures: [] }]);
  expect(hasFailures(runs)).toBe(false);
});
