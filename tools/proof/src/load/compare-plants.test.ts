import { expect, it } from 'vitest';
import type { PlantRow } from '../system/databases.js';
import { comparePlants } from './compare-plants.js';
import type { Request } from './history.js';
import { Ledger, type Outcome } from './ledger.js';

const fern = { id: 2n ** 53n + 1n, name: 'Fern', tag: undefined, deleted: false };
const other = { ...fern, tag: '' };
const tombstone = { ...fern, name: '', deleted: true };
const half = { ...tombstone, name: 'Fern' };
const rounded = { ...fern, id: 2n ** 53n };

/** A ledger in which these were sent one after the other, such as `create fern stored, correct other no reply, delete fern deleted`. */
function record(requests: string): Ledger {
  const ledger = new Ledger();
  for (const [, what, name, kind] of requests.matchAll(/(\w+) (fern|other) ([a-z ]+)/g)) {
    const plant = name === 'fern' ? fern : other;
    const shown = { ...plant, addedAt: '1', etag: `"${name}"` };
    const outcome = { kind, code: 'ECONNRESET', reply: '', ...(kind === 'shown' && { plants: [shown] }) };
    ledger.note({ do: what as Request['do'], plant }).end(outcome as Outcome);
  }
  return ledger;
}

const nothing = { lost: 0, 'lost deletes': 0, phantom: 0, double: 0, 'outcome unknown': 0 };
const unknown = { 'outcome unknown': 1, 'of those changed': 0 };
const changed = { ...unknown, 'of those changed': 1 };

it.each<readonly [sent: string, stored: readonly PlantRow[], counts: object]>([
  ['create fern stored', [fern], { acknowledged: 1 }],
  ['create fern stored', [], { lost: 1 }],
  ['create fern stored', [other], { lost: 1 }],
  ['create fern stored', [rounded], { lost: 1, phantom: 1 }],
  ['create fern stored', [fern, fern], { double: 1 }],
  ['create fern stored, delete fern rejected', [tombstone], { lost: 1 }],
  ['create fern rejected', [fern], { phantom: 1 }],
  ['create fern rejected, delete fern no reply', [tombstone], { phantom: 1 }],
  ['create fern no reply', [other], { phantom: 1, ...unknown, 'of those changed': 1 }],
  ['create fern no reply', [], unknown],
  ['create fern unavailable', [fern], changed],
  ['create fern no reply, create other taken', [], { lost: 1 }],
  ['create fern stored, delete fern no reply', [fern], unknown],
  ['create fern stored, delete fern unavailable', [tombstone], changed],
  ['create fern stored, delete fern no reply', [half], { ...changed, 'lost deletes': 1 }],
  ['create fern stored, delete fern deleted', [tombstone], { acknowledged: 1, deleted: 1 }],
  ['create fern stored, delete fern deleted', [fern], { 'lost deletes': 1 }],
  ['create fern stored, delete fern no reply, create fern retired', [], { 'lost deletes': 1 }],
  ['create fern stored, correct other shown', [other], { acknowledged: 1 }],
  ['create fern stored, correct other shown', [fern], { lost: 1 }],
  ['create fern stored, correct other shown, create fern replayed', [fern], { lost: 1 }],
  ['create fern stored, correct other no reply', [other], changed],
  ['create fern stored, correct other no reply', [fern], unknown],
  ['create fern stored, delete fern deleted, give other shown', [other], { acknowledged: 1, deleted: 0 }],
  ['create fern stored, delete fern deleted, give other shown', [tombstone], { lost: 1 }],
  ['create fern stored, delete fern deleted, give other unavailable', [fern], { ...changed, lost: 1 }],
])('after %j what is stored is compared with what was acknowledged', (sent, stored, counts) => {
  const ledger = record(sent);
  const comparison = comparePlants(ledger, stored);
  expect(ledger.failures).toEqual([]);
  expect(comparison.counts).toMatchObject({ ...nothing, ...counts });
  const { lost, 'lost deletes': lostDeletes, phantom, double } = comparison.counts;
  expect(comparison.failures).toHaveLength(lost + lostDeletes + phantom + double);
});

it('reports what no order explains, and entity tags that change without the plant, or not with it', () => {
  const ledger = record('create fern stored, delete fern not found');
  comparePlants(ledger, [fern]);
  expect(ledger.failures).toEqual([expect.stringContaining('no order explains')]);
  const tagged = record('create fern stored, read fern shown');
  for (const shown of [
    { ...fern, addedAt: '1', etag: '"x"' },
    { ...other, addedAt: '1', etag: '"fern"' },
  ])
    tagged.note({ do: 'read', plant: fern }).end({ kind: 'shown', plants: [shown] });
  expect(tagged.failures).toHaveLength(2);
});

it('a list that was sent before a delete may show the plant, and one that was sent later may not', () => {
  const ledger = record('create fern stored');
  const [early, erase] = [ledger.noteList(), ledger.note({ do: 'delete', plant: fern })];
  erase.end({ kind: 'deleted' });
  early({ kind: 'shown', plants: [fern] });
  expect(ledger.check(fern.id)).toBe(true);
  ledger.noteList()({ kind: 'shown', plants: [fern] });
  expect(ledger.check(fern.id)).toBe(false);
});
