import { expect, it } from 'vitest';
import { beginAdding, maxAdded, maxCharacters, recordResult, restoreAdded } from './added-plants.js';

const rose = { id: 7n, name: 'Rose' };

it('puts the newest first, gives each a unique key, and keeps a bounded number', () => {
  let list = beginAdding([], rose, 1);
  for (let id = 0n; id < 200n; id++) list = beginAdding(list, { id, name: 'Fern' }, 2);
  expect(list.length).toBe(maxAdded);
  expect(list[0]).toMatchObject({ id: '199', state: 'sending' });
  expect(new Set(list.map(({ key }) => key)).size).toBe(maxAdded);
});

it('drops the oldest so that a browser can keep the list, and never the newest', () => {
  const name = 'x'.repeat(maxCharacters / 4);
  let list = beginAdding([], rose, 1);
  for (let id = 0n; id < 6n; id++) list = beginAdding(list, { id, name }, 2);
  expect(list.map(({ id }) => id)).toEqual(['5', '4', '3', '2']);
  list = beginAdding(list, { id: 9n, name: name.repeat(8) }, 3);
  expect(list.map(({ id }) => id)).toEqual(['9', '5', '4', '3']);
  expect(beginAdding(list, rose, 4).map(({ id }) => id)).toEqual(['7']);
});

it('replaces an earlier attempt for the same plant, unless the service confirmed it', () => {
  const tried = recordResult(beginAdding([], rose, 1), 1, { state: 'unconfirmed', reason: 'away' });
  expect(beginAdding(tried, rose, 2).map(({ key }) => key)).toEqual([2]);
  expect(beginAdding(tried, { ...rose, tag: '' }, 2).map(({ key }) => key)).toEqual([2, 1]);
  const stored = recordResult(tried, 1, { state: 'stored', reason: undefined });
  expect(beginAdding(stored, rose, 2).map(({ key }) => key)).toEqual([2, 1]);
});

it('restores valid entries, and ignores others', () => {
  const begun = beginAdding([], { id: -1n, name: '', tag: 'x' }, 5);
  const list = recordResult(begun, 1, { state: 'present', reason: undefined });
  const kept: unknown = JSON.parse(JSON.stringify(list));
  expect(restoreAdded(kept)).toEqual(list);
  const others = [undefined, null, 7, {}, [null], [{ ...list[0], id: '1.5' }], [{ ...list[0], state: '' }]];
  for (const other of others) expect(restoreAdded(other)).toEqual([]);
});
