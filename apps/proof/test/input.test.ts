import { expect, it } from 'vitest';
import { proveInput } from '../src/input/input.js';

it('about 2,000 generated requests get documented replies, and what is accepted is stored exactly', async () => {
  const results = await proveInput({ seed: 1, amount: 'short', settings: {}, log: () => undefined });
  expect(results.map(({ failures }) => failures)).toEqual([[], []]);
  for (const { figures } of results) {
    expect(figures['requests']).toBeGreaterThanOrEqual(1_000);
    expect(figures['plants compared']).toBeGreaterThan(300);
    expect(figures['status 400']).toBeGreaterThan(300);
  }
}, 600_000);
