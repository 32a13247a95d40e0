import { expect, it } from 'vitest';
import { type Item, inspectAll, ok } from './finding.js';

const failing: Item<string> = {
  name: 'first',
  inspect: () => Promise.reject(new Error('no answer')),
};
const working: Item<string> = { name: 'second', inspect: (context) => [ok(context), ok('more')] };
const absent: Item<string> = { name: 'third', inspect: () => [] };

it('reports what an item throws as its error, and examines the others all the same', async () => {
  expect(await inspectAll([failing, working, absent], 'context')).toEqual([
    { item: 'first', status: 'error', found: 'no answer' },
    { item: 'second', status: 'ok', found: 'context' },
    { item: 'second', status: 'ok', found: 'more' },
  ]);
});
