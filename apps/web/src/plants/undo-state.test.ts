import { expect, it } from 'vitest';
import { type Action, type Change, maxUndos, reduceUndo, type UndoEvent } from './undo-state.js';

const toPlant = (id: bigint) => ({
  id,
  idText: `${id}`,
  name: `Plant ${id}`,
  createdAt: '2026-01-01T00:00:00Z',
});
const [rose, fern, moss] = [toPlant(1n), toPlant(2n), toPlant(3n)];
const failure = { about: 'later', message: 'Try again.', cause: 'away' } as const;

/** Two plants that are deleted, and the action in a state. */
const deleted: Change = { key: 7, plants: [rose, fern] };
const inState = (state: Action['state'], more: Partial<Action> = {}): Action => ({
  ...deleted,
  state,
  ...more,
});
const waiting = inState('waiting');
const sent = inState('sent');
const done = inState('done');
const undoing = inState('undoing');
const failed = inState('failed', { failure });

const tagged = {
  key: 8,
  plants: [moss],
  edit: { tag: 'bed', etags: new Map(), skippedCount: 0 },
} satisfies Change;
const isTagged: Action = { ...tagged, state: 'done' };
const edited = {
  ...tagged,
  key: 9,
  edit: { label: 'Name edited', etags: new Map(), skippedCount: 0 },
} satisfies Change;
const undone: Action = { ...tagged, state: 'undone' };

const pendingDeletes = [1n, 2n, 5n];

it.each<
  [
    title: string,
    before: readonly Action[],
    left: readonly bigint[],
    event: UndoEvent,
    after: readonly Action[],
    leaves: readonly bigint[],
  ]
>([
  ['undoes a delete that waits', [waiting], pendingDeletes, { type: 'cancel', change: waiting }, [], [5n]],
  [
    'sends one that was dismissed',
    [isTagged],
    pendingDeletes,
    { type: 'send', change: deleted },
    [isTagged],
    pendingDeletes,
  ],
  ['confirms one that was dismissed', [], pendingDeletes, { type: 'confirm', change: deleted }, [], [5n]],
  [
    'keeps those that were deleted',
    [sent],
    pendingDeletes,
    { type: 'confirm', change: { ...deleted, plants: [fern] } },
    [inState('done', { plants: [fern] })],
    [1n, 5n],
  ],
  [
    'drops a delete of nothing',
    [sent],
    pendingDeletes,
    { type: 'confirm', change: { ...deleted, plants: [] } },
    [],
    pendingDeletes,
  ],
  [
    'shows plants again whose delete fails',
    [sent],
    pendingDeletes,
    { type: 'fail', change: sent, failure },
    [failed],
    [5n],
  ],
  [
    'shows a failure after it was dismissed',
    [],
    pendingDeletes,
    { type: 'fail', change: deleted, failure },
    [failed],
    [5n],
  ],
  ['sends a delete again', [failed], [5n], { type: 'send', change: failed }, [sent], [5n, 1n, 2n]],

  ['undoes one in flight', [sent], pendingDeletes, { type: 'undo', change: sent }, [undoing], pendingDeletes],
  [
    'undoes it once it is confirmed',
    [undoing],
    pendingDeletes,
    { type: 'confirm', change: deleted },
    [undoing],
    [5n],
  ],
  [
    'does not undo what failed',
    [undoing],
    pendingDeletes,
    { type: 'fail', change: deleted, failure },
    [failed],
    [5n],
  ],
  [
    'says which plants are not restored',
    [inState('undoing', { count: 1 }), isTagged],
    [],
    { type: 'failUndo', change: { ...deleted, plants: [fern] }, failure },
    [inState('done', { plants: [fern], failure }), isTagged],
    [],
  ],
  [
    'undoes it again',
    [inState('done', { count: 1, failure })],
    [],
    { type: 'undo', change: done },
    [undoing],
    [],
  ],

  [
    'undoes an edit, first',
    [done, isTagged],
    [],
    { type: 'undo', change: isTagged },
    [{ ...tagged, state: 'undoing' }, done],
    [],
  ],

  [
    'drops what is undone',
    [undone, done],
    [],
    { type: 'edit', change: edited },
    [{ ...edited, state: 'done' }, done],
    [],
  ],
  [
    'drops what is undone once another fails',
    [undone, sent],
    pendingDeletes,
    { type: 'fail', change: sent, failure },
    [failed],
    [5n],
  ],
  [
    'keeps it while nothing is added',
    [undone, waiting],
    pendingDeletes,
    { type: 'send', change: waiting },
    [undone, sent],
    pendingDeletes,
  ],
  [
    'dismisses',
    [waiting, isTagged],
    pendingDeletes,
    { type: 'dismiss', change: waiting },
    [isTagged],
    pendingDeletes,
  ],
])('%s', (_, before, left, event, after, leaves) => {
  const state = reduceUndo({ actions: before, pendingDeletes: new Set(left) }, event);
  expect(state).toEqual({ actions: after, pendingDeletes: new Set(leaves) });
});

it('keeps a bounded number of actions, the latest first, and still hides the plants of dropped ones', () => {
  let state = reduceUndo({ actions: [], pendingDeletes: new Set() }, { type: 'wait', change: deleted });
  for (let key = 10; key < 10 + maxUndos; key++)
    state = reduceUndo(state, { type: 'wait', change: { key, plants: [toPlant(BigInt(key))] } });
  expect(state.actions.map(({ key }) => key)).toEqual([14, 13, 12, 11, 10]);
  expect(state.pendingDeletes.size).toBe(2 + maxUndos);
});

it('returns the same set of hidden plants if it does not change, because the list depends on it', () => {
  const before = { actions: [sent], pendingDeletes: new Set([5n]) };
  for (const type of ['edit', 'undo', 'dismiss'] as const)
    expect(reduceUndo(before, { type, change: deleted }).pendingDeletes).toBe(before.pendingDeletes);
});
