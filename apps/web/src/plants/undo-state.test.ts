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
const isUndoing: Action = { ...tagged, state: 'undoing' };
const isEdited: Action = { ...edited, state: 'done' };
const unclear: Action = { ...isTagged, failure };
const undone: Action = { ...tagged, state: 'undone' };

const some: Change = { ...deleted, plants: [fern] };
const counted = inState('undoing', { count: 1 });
const keeping = ({ edit, ...change }: typeof tagged | typeof edited) => ({
  ...change,
  edit: { ...edit, kept: 1 },
});
const on = (type: UndoEvent['type'], change: Change = deleted, more: object = {}) =>
  ({ type, change, ...more }) as UndoEvent;
const [leaving, rest, none] = [[1n, 2n, 5n], [5n], []];
type Ids = readonly bigint[];
type Actions = readonly Action[];

it.each<[title: string, before: Actions, left: Ids, event: UndoEvent, after: Actions, leaves: Ids]>([
  ['hides plants while their delete waits', [], rest, on('wait'), [waiting], leaving],
  ['undoes a delete that waits', [waiting], leaving, on('cancel', waiting), [], rest],
  ['sends a delete', [waiting], leaving, on('send'), [sent], leaving],
  ['sends one that was dismissed', [isTagged], leaving, on('send'), [isTagged], leaving],
  ['confirms it', [sent], leaving, on('confirm'), [done], rest],
  ['confirms one that was dismissed', [], leaving, on('confirm'), [], rest],
  ['keeps those that were deleted', [sent], leaving, on('confirm', some), [inState('done', some)], [1n, 5n]],
  ['drops a delete of nothing', [sent], leaving, on('confirm', { ...deleted, plants: [] }), [], leaving],
  ['shows plants again whose delete fails', [sent], leaving, on('fail', sent, { failure }), [failed], rest],
  ['shows a failure after it was dismissed', [], leaving, on('fail', deleted, { failure }), [failed], rest],
  ['sends a delete again', [failed], rest, on('send', failed), [sent], leaving],

  ['undoes a delete', [done], none, on('undo', done), [undoing], none],
  ['undoes one in flight', [sent], leaving, on('undo', sent), [undoing], leaving],
  ['undoes it once it is confirmed', [undoing], leaving, on('confirm'), [undoing], rest],
  ['does not undo what failed', [undoing], leaving, on('fail', deleted, { failure }), [failed], rest],
  ['counts', [undoing], none, on('count', done, { count: 1 }), [counted], none],
  [
    'brings plants back',
    [counted],
    none,
    on('restore', deleted, { back: [fern, rose] }),
    [inState('undone', { count: 1, plants: [fern, rose] })],
    none,
  ],
  [
    'says which plants are not back',
    [counted, isTagged],
    none,
    on('failUndo', some, { failure }),
    [inState('done', { ...some, failure }), isTagged],
    none,
  ],
  ['undoes it again', [inState('done', { count: 1, failure })], none, on('undo', done), [undoing], none],

  ['adds an edit', [done], none, on('edit', tagged), [isTagged, done], none],
  ['undoes an edit, first', [done, isTagged], none, on('undo', isTagged), [isUndoing, done], none],
  [
    'says how many plants stay as they are',
    [{ ...isUndoing, plants: [moss, fern] }],
    none,
    on('restore', keeping(tagged), { back: [fern] }),
    [{ ...keeping(tagged), plants: [fern], state: 'undone' }],
    none,
  ],
  [
    'names the plant of an edit that stays',
    [{ ...edited, state: 'undoing' }],
    none,
    on('restore', keeping(edited), { back: [] }),
    [{ ...keeping(edited), state: 'undone' }],
    none,
  ],
  [
    'says that the undo of an edit failed',
    [isUndoing],
    none,
    on('failUndo', tagged, { failure }),
    [unclear],
    none,
  ],

  ['drops what is undone', [undone, done], none, on('edit', edited), [isEdited, done], none],
  ['drops it once another fails', [undone, sent], leaving, on('fail', sent, { failure }), [failed], rest],
  ['keeps it if nothing is added', [undone, waiting], leaving, on('send', waiting), [undone, sent], leaving],
  ['dismisses', [waiting, isTagged], leaving, on('dismiss', waiting), [isTagged], leaving],
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
