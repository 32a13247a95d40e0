import { expect, it } from 'vitest';
import type { PlantRow } from '../system/databases.js';
import { comparePlants } from './compare-plants.js';
import { type CreateOutcome, type DeleteOutcome, Ledger, type ReadOutcome } from './ledger.js';

const fern = { id: 2n ** 53n + 1n, name: 'Fern', tag: undefined, deleted: false };
const other = { ...fern, tag: '' };
const tombstone = { ...fern, name: '', deleted: true };
const half = { ...tombstone, name: 'Fern' };
const rounded = { ...fern, id: 2n ** 53n };

/** A ledger in which these were sent one after the other, such as `fern stored, other taken, delete no reply`. */
function record(requests: string): Ledger {
  const ledger = new Ledger();
  for (const [, what, kind] of requests.matchAll(/(fern|other|delete|read) ([a-z ]+)/g)) {
    const outcome = { kind, code: 'ECONNRESET', reply: '' };
    if (what === 'read') ledger.read(fern.id)(outcome as ReadOutcome);
    else if (what === 'delete') ledger.delete(fern.id)(outcome as DeleteOutcome);
    else ledger.create(what === 'fern' ? fern : other)(outcome as CreateOutcome);
  }
  return ledger;
}

const nothing = { lost: 0, 'lost deletes': 0, phantom: 0, double: 0 };
const unknown = { 'outcome unknown': 1, 'of those stored': 0 };
const unknownDelete = { 'deletes unknown': 1, 'of those deleted': 0 };

it.each<readonly [sent: string, stored: readonly PlantRow[], counts: object]>([
  ['fern stored', [fern], { acknowledged: 1 }],
  ['fern stored', [], { lost: 1 }],
  ['fern stored', [other], { lost: 1 }],
  ['fern stored', [rounded], { lost: 1, phantom: 1 }],
  ['fern stored', [fern, fern], { double: 1 }],
  ['fern stored, delete rejected', [tombstone], { lost: 1 }],
  ['fern rejected', [fern], { phantom: 1 }],
  ['fern rejected, delete no reply', [tombstone], { phantom: 1 }],
  ['fern no reply', [other], { phantom: 1 }],
  ['fern no reply', [], unknown],
  ['fern unavailable', [fern], { ...unknown, 'of those stored': 1 }],
  ['fern no reply, other taken', [other], { phantom: 1 }],
  ['fern no reply, other taken', [], { lost: 1 }],
  ['fern stored, delete no reply', [fern], unknownDelete],
  ['fern stored, delete unavailable', [tombstone], { ...unknownDelete, 'of those deleted': 1 }],
  ['fern stored, delete no reply', [half], { 'lost deletes': 1 }],
  ['fern stored, delete deleted', [tombstone], { acknowledged: 1, deleted: 1, 'deletes unknown': 0 }],
  ['fern stored, delete deleted', [fern], { 'lost deletes': 1 }],
  ['fern stored, delete no reply, fern retired', [], { 'lost deletes': 1 }],
])('after %j what is stored is compared with what was acknowledged', (sent, stored, counts) => {
  const ledger = record(sent);
  const comparison = comparePlants(ledger, stored);
  expect(ledger.failures).toEqual([]);
  expect(comparison.counts).toMatchObject({ ...nothing, ...counts });
  const failed = Object.keys(nothing).map((name) => comparison.counts[name as keyof typeof nothing]);
  expect(comparison.failures).toHaveLength(failed.reduce((sum, count) => sum + count));
});

it.each([
  ['fern stored, other stored', 'so was another plant'],
  ['fern stored, fern taken', 'id_taken after it was acknowledged'],
  ['fern replayed', 'replayed, though it was sent once'],
  ['fern taken', 'no other plant was sent'],
  ['fern stored, fern stored', 'stored twice'],
  ['fern no reply, delete deleted, fern stored', 'stored after it was deleted'],
  ['fern stored, delete deleted, other taken', 'taken after it was deleted'],
  ['fern stored, fern retired', 'id_retired, though no delete was sent'],
  ['fern stored, delete not found', 'not found by a delete, though there was one before'],
  ['fern no reply, delete deleted, delete not found', 'not found by a delete, though there was one before'],
  ['delete deleted', 'deleted, though none was stored'],
  ['fern stored, delete rejected, read not found', 'not found, though no delete was sent'],
])('no correct service replies: %s', (sent, failure) => {
  expect(record(sent).failures).toContainEqual(expect.stringContaining(failure));
});

it('a create and a delete that overlap may come in either order', () => {
  const ledger = new Ledger();
  const [create, retry] = [ledger.create(fern), ledger.create(fern)];
  const [late, early] = [ledger.delete(fern.id), ledger.delete(fern.id)];
  early({ kind: 'not found' });
  late({ kind: 'deleted' });
  create({ kind: 'stored' });
  retry({ kind: 'retired' });
  expect(ledger.failures).toEqual([]);
});

it('a read shows what was acknowledged, unless it was deleted meanwhile', () => {
  const ledger = record('fern stored');
  const [shown, missing, list] = [ledger.read(fern.id), ledger.read(fern.id), ledger.read()];
  const erase = ledger.delete(fern.id);
  missing({ kind: 'not found' });
  erase({ kind: 'no reply', code: 'ECONNRESET' });
  shown({ kind: 'shown', plants: [fern] });
  list({ kind: 'shown', plants: [fern] });
  expect(ledger.failures).toEqual([]);
  // That it was missing shows that it was deleted, although the delete had no reply.
  ledger.read()({ kind: 'shown', plants: [fern] });
  expect(ledger.failures).toEqual([expect.stringContaining('shown after it was deleted')]);
});
