import { expect, it } from 'vitest';
import { comparePlants } from './compare-plants.js';
import { Ledger } from './ledger.js';
import type { DeleteOutcome, Outcome } from './send-create.js';

const fern = { id: 2n ** 53n + 1n, name: 'Fern', tag: undefined, deleted: false };
const untagged = { ...fern, tag: '' };
const tombstone = { ...fern, name: '', deleted: true };

type Sent =
  | readonly [plant: typeof fern | typeof untagged, kind: Outcome['kind']]
  | readonly ['delete', kind: DeleteOutcome['kind']];

/** A ledger in which these plants were sent, or their id was deleted, each with this outcome, one after the other. */
function record(...sent: readonly Sent[]): Ledger {
  const ledger = new Ledger();
  for (const [what, kind] of sent) {
    if (what === 'delete') ledger.endDelete(ledger.beginDelete(fern.id), toOutcome(kind));
    else ledger.end(ledger.begin(what), toOutcome(kind));
  }
  return ledger;
}

const toOutcome = <Kind extends string>(kind: Kind) => ({ kind, code: 'ECONNRESET', reply: '' });

it('an acknowledged plant is lost if it is missing, has another text, or only a rounded id', () => {
  const ledger = record([fern, 'stored']);
  expect(comparePlants(ledger, [fern])).toMatchObject({ acknowledged: 1, lost: 0, phantom: 0, failures: [] });
  expect(comparePlants(ledger, [])).toMatchObject({ lost: 1 });
  expect(comparePlants(ledger, [untagged])).toMatchObject({ lost: 1 });
  expect(comparePlants(ledger, [{ ...fern, id: 2n ** 53n }])).toMatchObject({ lost: 1, phantom: 1 });
});

it('an acknowledged plant is lost if it is deleted, unless a delete may have erased it', () => {
  expect(comparePlants(record([fern, 'stored']), [tombstone])).toMatchObject({ lost: 1 });
  expect(comparePlants(record([fern, 'stored'], ['delete', 'rejected']), [tombstone])).toMatchObject({
    lost: 1,
  });
});

it('a row is a phantom if nobody sent it, or if every request was rejected', () => {
  expect(comparePlants(new Ledger(), [fern])).toMatchObject({ phantom: 1 });
  expect(comparePlants(record([fern, 'rejected']), [fern])).toMatchObject({ phantom: 1 });
  expect(comparePlants(record([fern, 'no reply']), [untagged])).toMatchObject({ phantom: 1 });
  expect(comparePlants(record([fern, 'no reply'], [untagged, 'taken']), [untagged])).toMatchObject({
    phantom: 1,
  });
  expect(comparePlants(record([fern, 'rejected'], ['delete', 'no reply']), [tombstone])).toMatchObject({
    phantom: 1,
  });
});

it('two rows of one id are double', () => {
  expect(comparePlants(record([fern, 'stored']), [fern, fern])).toMatchObject({ double: 1, lost: 0 });
});

it.each<[how: string, sent: readonly Sent[]]>([
  ['a delete was acknowledged', [['delete', 'deleted']]],
  [
    'a create was rejected after a delete without a reply',
    [
      ['delete', 'no reply'],
      [fern, 'retired'],
    ],
  ],
])('a delete is lost if the plant, a text of it, or no row is there, once %s', (_, sent) => {
  const ledger = record([fern, 'stored'], ...sent);
  expect(ledger.failures).toEqual([]);
  const whole = { acknowledged: 1, deleted: 1, lostDeletes: 0, lost: 0, unknownDeletes: 0, failures: [] };
  expect(comparePlants(ledger, [tombstone])).toMatchObject(whole);
  for (const rows of [[fern], [], [{ ...tombstone, name: 'Fern' }], [{ ...tombstone, tag: '' }]])
    expect(comparePlants(ledger, rows)).toMatchObject({ lostDeletes: 1, lost: 0 });
});

it.each(['no reply', 'unavailable'] as const)('a plant may be stored or not after: %s', (kind) => {
  const ledger = record([fern, kind]);
  const unknown = { unknown: 1, lost: 0, phantom: 0, failures: [] };
  expect(comparePlants(ledger, [])).toMatchObject({ ...unknown, unknownStored: 0 });
  expect(comparePlants(ledger, [fern])).toMatchObject({ ...unknown, unknownStored: 1 });
});

it.each(['no reply', 'unavailable'] as const)('a plant may be deleted or not after: %s', (kind) => {
  const ledger = record([fern, 'stored'], ['delete', kind]);
  const unknown = { deleted: 0, unknownDeletes: 1, lost: 0, failures: [] };
  expect(comparePlants(ledger, [fern])).toMatchObject({ ...unknown, unknownDeleted: 0 });
  expect(comparePlants(ledger, [tombstone])).toMatchObject({ ...unknown, unknownDeleted: 1 });
  expect(comparePlants(ledger, [{ ...tombstone, name: 'Fern' }])).toMatchObject({ lostDeletes: 1 });
});

it('a plant that took the id of another is stored', () => {
  const ledger = record([fern, 'no reply'], [untagged, 'taken']);
  expect(comparePlants(ledger, [fern])).toMatchObject({ lost: 0, failures: [] });
  expect(comparePlants(ledger, [])).toMatchObject({ lost: 1 });
});

it('looks at the given ids alone', () => {
  const ledger = record([fern, 'stored'], [{ ...fern, id: 1n }, 'stored']);
  expect(comparePlants(ledger, [fern], [fern.id])).toMatchObject({ acknowledged: 1, failures: [] });
  expect(ledger.takeTouchedIds()).toEqual([fern.id, 1n]);
  expect(ledger.takeTouchedIds()).toEqual([]);
});

it.each<[what: string, sent: readonly Sent[], failure: string]>([
  [
    'two plants of one id',
    [
      [fern, 'stored'],
      [untagged, 'stored'],
    ],
    'so was another plant',
  ],
  [
    'a plant and its conflict',
    [
      [fern, 'stored'],
      [fern, 'taken'],
    ],
    'id_taken after it was acknowledged',
  ],
  ['a replay of what was never sent', [[fern, 'replayed']], 'replayed, though it was sent once'],
  ['a conflict with nothing', [[fern, 'taken']], 'no other plant was sent'],
  [
    'a plant twice',
    [
      [fern, 'stored'],
      [fern, 'stored'],
    ],
    'stored twice',
  ],
  [
    'a plant after its delete',
    [
      [fern, 'no reply'],
      ['delete', 'deleted'],
      [fern, 'stored'],
    ],
    'stored after it was deleted',
  ],
  [
    'a conflict with what was deleted',
    [
      [fern, 'stored'],
      ['delete', 'deleted'],
      [untagged, 'taken'],
    ],
    'taken after it was deleted',
  ],
  [
    'a delete that nobody sent',
    [
      [fern, 'stored'],
      [fern, 'retired'],
    ],
    'id_retired, though no delete was sent',
  ],
  [
    'no delete of a plant',
    [
      [fern, 'stored'],
      ['delete', 'not found'],
    ],
    'not found by a delete, though there was one before',
  ],
  [
    'no delete of what was deleted',
    [
      [fern, 'no reply'],
      ['delete', 'deleted'],
      ['delete', 'not found'],
    ],
    'not found by a delete, though there was one before',
  ],
  ['a delete of nothing', [['delete', 'deleted']], 'deleted, though none was stored'],
])('reports replies that acknowledge %s', (_, sent, failure) => {
  expect(record(...sent).failures).toContainEqual(expect.stringContaining(failure));
});

it('a create and a delete that overlap may come in either order', () => {
  const ledger = new Ledger();
  const [create, retry] = [ledger.begin(fern), ledger.begin(fern)];
  const [late, early] = [ledger.beginDelete(fern.id), ledger.beginDelete(fern.id)];
  ledger.endDelete(early, { kind: 'not found' });
  ledger.endDelete(late, { kind: 'deleted' });
  ledger.end(create, { kind: 'stored' });
  ledger.end(retry, { kind: 'retired' });
  expect(ledger.failures).toEqual([]);
});

it('a read shows what was acknowledged, unless it was deleted meanwhile', () => {
  const ledger = record([fern, 'stored']);
  const [shown, missing, list] = [ledger.beginRead(fern.id), ledger.beginRead(fern.id), ledger.beginRead()];
  const erase = ledger.beginDelete(fern.id);
  ledger.endRead(missing, []);
  ledger.endDelete(erase, { kind: 'no reply', code: 'ECONNRESET' });
  ledger.endRead(shown, [fern]);
  ledger.endRead(list, [fern]);
  expect(ledger.failures).toEqual([]);
  // That it was missing shows that it was deleted, although the delete had no reply.
  ledger.endRead(ledger.beginRead(), [fern]);
  expect(ledger.failures).toEqual([expect.stringContaining('shown after it was deleted')]);
});

it('reports a read that misses what nobody deleted', () => {
  const ledger = record([fern, 'stored'], ['delete', 'rejected']);
  ledger.endRead(ledger.beginRead(fern.id), []);
  expect(ledger.failures).toEqual([expect.stringContaining('not found, though no delete was sent')]);
});
