import { expect, it } from 'vitest';
import { proveModel } from '../src/model/model.js';
import { isNightly } from './support/is-nightly.js';
import { shortContext } from './support/short-context.js';

/** One whose first sequence is long, deletes plants, and restarts the services, during a request, too. */
const seed = 10;

it('random sequences of commands lead to the same on both engines and on the fake', async () => {
  const results = await proveModel(shortContext(seed));
  expect(results.flatMap(({ failures }) => failures)).toEqual([]);
  expect(results[0]?.figures).toMatchObject({ sequences: isNightly ? 4 : 1 });
  expect(results[0]?.figures['requests']).toBeGreaterThan(50);
  for (const figure of ['restarts', 'interrupted requests', 'of those deleted'])
    expect(results[0]?.figures[figure]).toBeGreaterThan(0);
}, 600_000);
