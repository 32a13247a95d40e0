import { expect, it } from 'vitest';
import { garden } from '../../../../packages/records/test/garden.js';
import { compareRecords } from './compare-records.js';
import type { Change, Request, State } from './history.js';
import { Ledger, type Outcome } from './ledger.js';
import {
  erasedFields,
  type Fields,
  nameOf,
  type ShownRecord,
  testedResources,
  toTestedResource,
} from './records.js';

const id = 2n ** 53n + 1n;
const resource = toTestedResource(garden);
const name = nameOf({ resource, id });
const fields = { name: 'a', isOpen: true, plantIds: [1n, 2n] };
const a = { resource, id, fields, deleted: false };
const records = {
  a,
  b: { ...a, fields: { ...fields, plantIds: [12n] } },
  tombstone: { ...a, fields: erasedFields(resource), deleted: true },
  half: { ...a, deleted: true },
  rounded: { ...a, id: 2n ** 53n },
};

/** The record `b` that was added at 1, for `b1`. */
const toShownRecord = (text: string): ShownRecord => {
  const record = records[text[0] === 'b' ? 'b' : 'a'];
  // Read again from a reply, so that no list is the same one.
  return { ...record, fields: structuredClone(record.fields), addedAt: text.slice(1), etag: text };
};

/**
 * A ledger with a history of one id, such as `create a: stored; update b if a1: shown b1`. Each request is sent when the one before it is
 * answered or, after `|`, at the same time and, after `&`, in the same batch; answers come in the order of requests. Two followers get changes: `first: updated b1`.
 */
function record(history: string): Ledger {
  const ledger = new Ledger();
  const followers = { first: ledger.noteFollower(), second: ledger.noteFollower() };
  for (const group of history.split('; ')) {
    let before: number | undefined;
    const ends = group.split(/ (?=[|&])/).map((text) => {
      const parts = /^(?:([|&]) )?(\w+)(?: ([ab]))?(?: if (\w\d))?: (.+?)(?: ([ab]\d))?$/.exec(text);
      const [, sign, what, name, match, kind, shown] = parts ?? [];
      const record = shown === undefined ? undefined : toShownRecord(shown);
      if (what === 'first' || what === 'second')
        return () => followers[what]({ resource, kind, id, record } as Change);
      const request = {
        action: what,
        record: records[name === 'b' ? 'b' : 'a'],
        match: match && toShownRecord(match),
      };
      const { start, end } = ledger.note(request as Request, sign === '&' ? before : undefined);
      before = start;
      const outcome = { kind, code: 'ECONNRESET', reply: '', ...(record && { records: [record] }) };
      return () => end(outcome as Outcome);
    });
    for (const end of ends) end();
  }
  return ledger;
}

const letterOf = (one: Fields) => (resource.isSame(one, fields) ? 'a' : 'b');
const describeState = (state: State) =>
  typeof state === 'string' ? state : `${letterOf(state.fields)} of ${letterOf(state.created)}`;

const created = 'create a: stored; ';
const known = `${created}read: shown a1; `;
const deleted = `${created}delete: deleted; `;

it.each<readonly [history: string, ...states: readonly string[]]>([
  ['create a: stored | delete: not found', 'a of a'],
  ['create a: stored & create a: replayed | delete: deleted', 'a deleted record'],
  ['create a: stored & create a: retired | delete: deleted', 'a deleted record'],
  [`${known}update b if a1: shown b1; create a: replayed; create b: taken`, 'b of a'],
  [`${created}update b: shown b1; update b if a1: shown b1; update a if b1: shown a1`, 'a of a'],
  [`${deleted}reuseId b: shown b2; create a: taken; create b: replayed`, 'b of b'],
  [`${known}delete: deleted; reuseId a: shown a2; update b if a1: failed`, 'a of a'],
  [`${created}reuseId b: failed | delete: deleted | reuseId b: shown b2`, 'b of b'],
  ['delete: not found; reuseId a: not found; update a: not found; read: not found', 'nothing'],
  [`${deleted}read: not found; update b: not found; delete: deleted`, 'a deleted record'],
  // An unanswered request takes effect at any time, or never.
  ['create a: no reply', 'nothing', 'a of a'],
  ['create a: no reply; create b: taken', 'a of a'],
  // An item of a batch that fails does not keep a later one with the same ID from being stored.
  ['create a: unavailable & create b: stored', 'b of b'],
  ['create a: unavailable & create b: taken', 'a of a'],
  [`${created}update b: no reply; read: shown a1; read: shown b1`, 'b of a'],
  [`${created}delete: no reply; reuseId b: no reply`, 'a of a', 'a deleted record', 'b of b'],
  [`${known}update b if a1: no reply; delete: deleted; reuseId a: shown a2`, 'a of a'],
  // Followers may get a change before it is acknowledged, or late, or not if another one came since.
  ['first: created a1 | create a: stored; update b: shown b1; second: updated b1', 'b of a'],
  [`${deleted}reuseId b: shown b2; first: created a1; first: deleted; first: created b2`, 'b of b'],
  [`${known}update b: no reply | update a: shown a1; first: updated a1`, 'a of a'],
  ['create a: no reply; first: created a1; update b: no reply; second: created a1', 'a of a', 'b of a'],
])('%s is explained', (history, ...states) => {
  const ledger = record(history);
  expect(ledger.check(a)).toBe(true);
  const possible = ledger.entries.get(name)?.possibleStates ?? [];
  expect([...new Set(possible.map(({ state }) => describeState(state)))]).toEqual(states);
  expect(ledger.failures).toEqual([]);
});

/** Operations that no order explains after a history, each separately. */
const wrong: readonly (readonly [before: string, ...wrong: readonly string[]])[] = [
  ['', 'create a: replayed', 'create a: taken', 'delete: deleted', 'reuseId a: shown a1'],
  ['', 'create a: retired & create a: stored | delete: deleted', `${created}create b: stored`],
  ['create a: stored & create a: retired | ', 'delete: not found'],
  ['create a: no reply; delete: deleted; ', 'create a: stored'],
  ['create a: no reply & create b: stored; ', 'read: shown a1'],
  [created, 'create a: stored', 'create a: retired', 'delete: not found', 'read: not found'],
  [created, 'reuseId b: shown b2', 'update a if b1: failed', 'update b: shown a1'],
  [deleted, 'read: shown a1', 'create a: replayed', 'update b: shown b1', 'reuseId b: failed'],
  [deleted, 'reuseId a: shown a2 | reuseId b: shown b3'],
  [`${deleted}reuseId b: shown b2; `, 'create a: replayed', 'create b: taken', 'create b: retired'],
  // Updates that are lost, or that a late retry reverts.
  [`${created}update b: shown b1; `, 'read: shown a1', 'create a: replayed; read: shown a1'],
  [`${created}update b: shown b1; `, 'create a: taken', 'create b: replayed'],
  [`${created}update b: no reply; read: shown b1; `, 'read: shown a1'],
  // Updates that replaced the wrong state, and none that replaced the right one.
  [known, 'update b if a1: failed', 'update b: shown b2', 'update b if a2: shown b1'],
  [`${known}delete: deleted; reuseId a: shown a2; `, 'update b if a1: shown b2'],
  // States that never existed, or not yet; older states than the same follower received before; states lost in a crash; contradictory
  // orders.
  ['', 'first: created a1', 'first: deleted', 'create b: no reply; first: created a1'],
  [`${created}update b: shown b1; `, 'first: updated a1', 'first: created b1', 'first: updated b2'],
  [`${created}update b: shown b1; `, 'second: updated b1; first: created a1; second: created a1'],
  [
    `${deleted}first: deleted; `,
    'first: created a1',
    'reuseId b: shown b2; first: created b2; first: deleted',
  ],
  [`${created}update b: no reply; first: updated b1; `, 'read: shown a1', 'update a if a1: shown a1'],
  [
    `${created}update b: shown b1 | update a: shown a1; first: updated b1; first: updated a1; `,
    'second: updated a1; second: updated b1',
  ],
];

const histories = wrong.flatMap(([before, ...after]) => after.map((one) => before + one));
it.each(histories)('no order explains %s', (history) => {
  const ledger = record(`${history}; read: not found`);
  expect(ledger.check(a)).toBe(false);
  // Until the first wrong answer.
  const lines = ledger.failures[0]?.split('\n').slice(2) ?? [];
  expect(lines).toHaveLength(history.split(': ').length - 1);
});

const nothing = { lost: 0, 'lost deletes': 0, phantom: 0, double: 0, 'outcome unknown': 0 };
const unknown = { 'outcome unknown': 1, 'of those changed': 0 };
const changed = { 'outcome unknown': 1, 'of those changed': 1 };

it.each<readonly [sent: string, stored: readonly (keyof typeof records)[], counts: object]>([
  ['create a: stored', ['a'], { acknowledged: 1 }],
  ['create a: stored', [], { lost: 1 }],
  ['create a: stored', ['rounded'], { lost: 1, phantom: 1 }],
  ['create a: stored', ['a', 'a'], { double: 1 }],
  [`${created}delete: rejected`, ['tombstone'], { lost: 1 }],
  ['create a: rejected; delete: no reply', ['tombstone'], { phantom: 1 }],
  ['create a: no reply', ['b'], { phantom: 1, ...changed }],
  ['create a: no reply', [], unknown],
  ['create a: unavailable', ['a'], changed],
  ['create a: no reply; create b: taken', [], { lost: 1 }],
  [`${created}delete: no reply`, ['half'], { 'lost deletes': 1, ...changed }],
  [`${created}delete: deleted`, ['tombstone'], { acknowledged: 1, deleted: 1 }],
  [`${created}delete: deleted`, ['a'], { 'lost deletes': 1 }],
  [`${created}delete: no reply; create a: retired`, [], { 'lost deletes': 1 }],
  [`${created}update b: shown b1; create a: replayed`, ['a'], { lost: 1 }],
  [`${created}update b: no reply`, ['a'], unknown],
  [`${created}update b: no reply`, ['b'], changed],
  [`${created}update b: no reply; first: updated b1`, ['a'], { lost: 1 }],
  ['create a: no reply; first: created a1', [], { lost: 1 }],
  [`${deleted}reuseId b: shown b2`, ['b'], { acknowledged: 1, deleted: 0 }],
  [`${deleted}reuseId b: shown b2`, ['tombstone'], { lost: 1 }],
])('after %s, stored is %j', (sent, stored, counts) => {
  const ledger = record(sent);
  const comparison = compareRecords(
    ledger,
    stored.map((row) => records[row]),
  );
  expect(ledger.failures).toEqual([]);
  expect(comparison.counts).toMatchObject({ ...nothing, ...counts });
  const { lost, 'lost deletes': lostDeletes, phantom, double } = comparison.counts;
  expect(comparison.failures).toHaveLength(lost + lostDeletes + phantom + double);
});

it('a list may show a record that was deleted after it was sent, and an entity tag identifies one record', () => {
  const ledger = record('create a: stored');
  const [early, erase] = [ledger.noteList(), ledger.note({ action: 'delete', record: a })];
  erase.end({ kind: 'deleted' });
  early({ kind: 'shown', records: [a] });
  expect(ledger.check(a)).toBe(true);
  ledger.noteList()({ kind: 'shown', records: [a] });
  expect(ledger.check(a)).toBe(false);
  const tagged = record('create a: stored; read: shown a1');
  const show = (shown: ShownRecord) =>
    tagged.note({ action: 'read', record: shown }).end({ kind: 'shown', records: [shown] });
  show({ ...toShownRecord('a1'), etag: 'b1' });
  show({ ...toShownRecord('b1'), etag: 'a1' });
  expect(tagged.failures).toHaveLength(2);
});

it('records of two resources with the same id are different ones', () => {
  const [other] = testedResources;
  if (other === undefined) throw new Error('There is no resource');
  const ledger = record('create a: stored');
  const created = { ...a, resource: other, fields: erasedFields(other) };
  ledger.note({ action: 'create', record: created }).end({ kind: 'stored' });
  ledger.note({ action: 'delete', record: created }).end({ kind: 'deleted' });
  const deleted = { ...created, deleted: true };
  const compare = (...rows: Parameters<typeof compareRecords>[1]) => compareRecords(ledger, rows).failures;
  expect(compare(a, deleted)).toEqual([]);
  expect(compare(a)).toEqual([expect.stringContaining(`lost deletes: ${other.name} ${id} is`)]);
  expect(compare(deleted)).toEqual([expect.stringContaining(`lost: garden ${id} is`)]);
  expect(compare(a, deleted, deleted)).toEqual([expect.stringContaining('double: deleted')]);
});
