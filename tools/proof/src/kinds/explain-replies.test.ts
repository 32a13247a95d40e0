import { expect, it } from 'vitest';
import { explainReplies, type State } from './explain-replies.js';

it.each<[...Parameters<typeof explainReplies>, first?: 'create' | 'delete', after?: State]>([
  ['nothing', ['stored'], 'not found', 'delete', 'a plant'],
  ['nothing', ['stored'], 'deleted', 'create', 'a deleted plant'],
  ['nothing', ['stored', 'retired'], 'deleted', 'create', 'a deleted plant'],
  ['nothing', ['stored', 'replayed'], 'deleted', 'create', 'a deleted plant'],
  ['nothing', ['stored', 'replayed'], 'not found', 'delete', 'a plant'],
  ['a plant', ['replayed'], 'deleted', 'create', 'a deleted plant'],
  ['a plant', ['retired'], 'deleted', 'delete', 'a deleted plant'],
  ['a plant', ['replayed', 'retired'], 'deleted', 'create', 'a deleted plant'],
  // No order gives these.
  ['nothing', ['retired'], 'deleted'],
  ['nothing', ['retired'], 'not found'],
  ['nothing', ['replayed'], 'deleted'],
  ['nothing', ['retired', 'stored'], 'deleted'],
  ['nothing', ['stored', 'retired'], 'not found'],
  ['nothing', ['unavailable'], 'not found'],
  ['a plant', ['stored'], 'deleted'],
  ['a plant', ['retired', 'replayed'], 'deleted'],
  ['a plant', ['replayed'], 'not found'],
])('of %s creates get %j and a delete %s, %s first', (before, created, deleted, first, after) => {
  expect(explainReplies(before, created, deleted)).toEqual(first && { first, after });
});
