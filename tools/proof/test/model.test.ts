import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sequences } from '../src/model/commands.js';
import { proveModel } from '../src/model/model.js';
import { isNightly } from './support/is-nightly.js';
import { shortContext } from './support/short-context.js';

/** One whose first sequence deletes plants, and restarts the services, during a request, too: it depends on the plants' fields. */
const seed = Array.from({ length: 1_000 }, (_, index) => index).find((candidate) => {
  const [commands = []] = fc.sample(sequences, { seed: candidate, numRuns: 1 });
  const text = [...commands].join('\n');
  return [/^restart/m, /^interrupt/m, /^create\((\d).*^remove\(\1\)/ms].every((part) => part.test(text));
});

it('random sequences of commands lead to the same on both engines and on the fake', async () => {
  const results = await proveModel(shortContext(seed ?? 0));
  expect(results.flatMap(({ failures }) => failures)).toEqual([]);
  expect(results[0]?.figures).toMatchObject({ sequences: isNightly ? 4 : 1 });
  expect(results[0]?.figures['requests']).toBeGreaterThan(50);
  for (const figure of ['restarts', 'interrupted requests', 'of those deleted'])
    expect(results[0]?.figures[figure]).toBeGreaterThan(0);
}, 600_000);
