import { expect, it } from 'vitest';
import { proveModel } from '../src/model/model.js';

it('four random sequences of about 20 commands lead to the same on both engines and on the fake', async () => {
  const results = await proveModel({ seed: 1, amount: 'short', settings: {}, log: () => undefined });
  expect(results.flatMap(({ failures }) => failures)).toEqual([]);
  expect(results[0]?.figures['requests']).toBeGreaterThan(50);
}, 600_000);
