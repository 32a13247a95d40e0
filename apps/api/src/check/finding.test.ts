import { expect, it } from 'vitest';
import { type Finding, type Item, inspectAll, ok } from './finding.js';

const failing: Item<string> = {
  name: 'first',
  inspect: () => Promise.reject(new Error('no answer')),
};
const working: Item<string> = { name: 'second', inspect: (context) => [ok(context), ok('more')] };
const absent: Item<string> = { name: 'third', inspect: () => [] };

it('reports what an item throws as its error, and examines the others all the same', async () => {
  const findings: Finding[] = [];
  for await (const finding of inspectAll([failing, working, absent], 'context')) findings.push(finding);
  expect(findings).toEqual([
    { item: 'first', status: 'error', found: 'no answer' },
    { item: 'second', status: 'ok', found: 'context' },
    { item: 'second', status: 'ok', found: 'more' },
  ]);
});

it('yields what an item finds before it examines the next one', async () => {
  const examined: string[] = [];
  const items = ['first', 'second'].map(
    (name): Item<undefined> => ({
      name,
      inspect: () => {
        examined.push(name);
        return ok('fine');
      },
    }),
  );
  const { value } = await inspectAll(items, undefined).next();
  expect(value).toEqual({ item: 'first', status: 'ok', found: 'fine' });
  expect(examined).toEqual(['first']);
});
