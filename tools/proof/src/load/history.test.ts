import { expect, it } from 'vitest';
import {
  type Answer,
  describeHistory,
  explain,
  type Operation,
  type Request,
  type State,
} from './history.js';

const plants = { a: { id: 7n, name: 'a' }, b: { id: 7n, name: 'b', tag: '' } };
const before = [{ state: 'nothing', unanswered: [] }] as const;

/**
 * A history of one id, such as `create a: stored; correct b if a1: shown b1 @2`, where `a1` is the plant `a` that was stored at 1. Each
 * is sent when the one before it is answered or, after `|`, at the same moment as that one. `&` is the same, in one batch.
 */
function read(history: string): readonly Operation[] {
  const operations: Operation[] = [];
  const toShown = (text: string) => {
    const [, name, addedAt] = /^(a|b)(\d)$/.exec(text) ?? [];
    return { ...plants[name as 'a' | 'b'], addedAt };
  };
  let start = 0;
  for (const [, sign, what, name, match, kind, shown] of history.matchAll(
    /([|&]?) ?(\w+)(?: ([ab]))?(?: if (\w\d))?: ([a-z ]+?)(?: ([ab]\d))?(?:$|; | (?=[|&]))/g,
  )) {
    if (sign === '') start = 10 * (operations.length + 1);
    const plant = plants[name === 'b' ? 'b' : 'a'];
    operations.push({
      request: { do: what as Request['do'], plant, match: match && toShown(match) } as Request,
      ...{ start: start + operations.length / 100, end: start + 5 + operations.length / 100 },
      ...(kind === 'none'
        ? { end: Number.POSITIVE_INFINITY }
        : { answer: { kind, plants: shown === undefined ? [] : [toShown(shown)] } as Answer }),
      after: sign === '&' ? operations.at(-1) : undefined,
    });
  }
  return operations;
}

/** The states after a history, such as `b of a`: the plant `b` that was created as `a`. */
function statesAfter(history: string): readonly string[] {
  const operations = read(history);
  expect(operations).toHaveLength(history.split(':').length - 1);
  const name = (state: State) =>
    typeof state === 'string' ? state : `${state.plant.name} of ${state.created.name}`;
  return [...new Set(explain(before, operations).map(({ state }) => name(state)))].sort();
}

it.each<readonly [history: string, ...states: readonly string[]]>([
  ['create a: stored | delete: not found', 'a of a'],
  ['create a: stored | delete: deleted', 'a deleted plant'],
  ['create a: stored & create a: replayed | delete: deleted', 'a deleted plant'],
  ['create a: stored & create a: retired | delete: deleted', 'a deleted plant'],
  [
    'create a: stored; read: shown a1; correct b if a1: shown b1; create a: replayed; create b: taken',
    'b of a',
  ],
  ['create a: stored; correct b: shown b1; correct b if a1: shown b1; correct a if b1: shown a1', 'a of a'],
  ['create a: stored; delete: deleted; give b: shown b2; create a: taken; create b: replayed', 'b of b'],
  ['create a: stored; read: shown a1; delete: deleted; give a: shown a2; correct b if a1: failed', 'a of a'],
  ['create a: stored; read: shown a1; correct b if a1: shown b1 | correct b if a1: shown b1', 'b of a'],
  ['create a: stored; give b: failed | delete: deleted | give b: shown b2', 'b of b'],
  ['delete: not found; give a: not found; correct a: not found; read: not found', 'nothing'],
  [
    'create a: stored; delete: deleted; read: not found; correct b: not found; delete: deleted',
    'a deleted plant',
  ],
  // What was not answered comes at any time, or not at all.
  ['create a: none', 'a of a', 'nothing'],
  ['create a: none; create b: taken', 'a of a'],
  ['create a: stored; correct b: none', 'a of a', 'b of a'],
  ['create a: stored; correct b: none; read: shown a1; read: shown b1', 'b of a'],
  ['create a: stored; delete: none; give b: none', 'a deleted plant', 'a of a', 'b of b'],
  ['create a: stored; read: shown a1; correct b if a1: none; delete: deleted; give a: shown a2', 'a of a'],
  // No order explains these.
  ['create a: stored & create a: retired | delete: not found'],
  ['create a: retired & create a: stored | delete: deleted'],
  ['create a: stored; create a: stored'],
  ['create a: replayed'],
  ['create a: taken'],
  ['create a: stored; create b: stored'],
  ['create a: stored; delete: not found'],
  ['create a: stored; create a: retired'],
  ['create a: stored; delete: deleted; read: shown a1'],
  ['create a: stored; delete: deleted; create a: replayed'],
  ['create a: none; delete: deleted; create a: stored'],
  ['delete: deleted'],
  ['create a: stored; read: not found'],
  // A lost correction, and one that a late retry reverts.
  ['create a: stored; correct b: shown b1; read: shown a1'],
  ['create a: stored; correct b: shown b1; create a: replayed; read: shown a1'],
  ['create a: stored; correct b: shown b1; create a: taken'],
  ['create a: stored; correct b: shown b1; create b: replayed'],
  ['create a: stored; correct b: none; read: shown b1; read: shown a1'],
  // Two corrections, of which the second one replaces what it was not to replace.
  ['create a: stored; read: shown a1; correct b if a1: shown b1; read: shown b1; correct a if a2: shown a1'],
  ['create a: stored; read: shown a1; delete: deleted; give a: shown a2; correct b if a1: shown b2'],
  ['create a: stored; read: shown a1; correct b if a1: failed'],
  ['create a: stored; correct a if b1: failed'],
  ['create a: stored; correct b: shown a1'],
  ['create a: stored; correct b: not found | read: shown a1'],
  ['create a: stored; read: shown a1; correct b: shown b2'],
  // Ids that are given twice, or while a plant has them, or that none had.
  ['create a: stored; delete: deleted; give a: shown a2 | give b: shown b3'],
  ['create a: stored; give b: shown b2'],
  ['create a: stored; delete: deleted; give b: failed'],
  ['give a: shown a1'],
  ['create a: stored; delete: deleted; give b: shown b2; create a: replayed'],
  ['create a: stored; delete: deleted; give b: shown b2; create b: taken'],
  ['create a: stored; delete: deleted; give b: shown b2; create a: retired'],
])('%s', (history, ...states) => {
  expect(statesAfter(history)).toEqual(states);
});

it('what was found before goes on, with what was not answered', () => {
  const [first = [], second = []] = [read('create a: stored; correct b: none'), read('read: shown b1')];
  const later = second.map((operation) => ({ ...operation, start: 100, end: 101 }));
  expect(explain(explain(before, first), later)).toMatchObject([
    { state: { plant: { name: 'b' } }, unanswered: [] },
  ]);
});

it('a history that no order explains is described until the first wrong answer', () => {
  const wrong = read('create a: stored; delete: deleted; read: shown a1; create b: retired');
  expect(describeHistory(before, wrong).split('\n')).toEqual([
    'before: ["nothing"]',
    expect.stringMatching(/create {"name":"a"} : stored/),
    expect.stringMatching(/delete .*: deleted/),
    expect.stringMatching(/read .*: shown {"name":"a","addedAt":"1"}/),
  ]);
});
