import { expect, it } from 'vitest';
import { comparePlants } from './compare-plants.js';
import { Ledger } from './ledger.js';
import type { Outcome } from './send-create.js';

const fern = { id: 2n ** 53n + 1n, name: 'Fern', tag: undefined };
const untagged = { ...fern, tag: '' };

type Sent = readonly [plant: typeof fern | typeof untagged, kind: Outcome['kind']];

/** A ledger in which these plants were sent, each with this outcome. */
function record(...sent: readonly Sent[]): Ledger {
  const ledger = new Ledger();
  for (const [plant, kind] of sent) ledger.end(ledger.begin(plant), { kind, code: 'ECONNRESET', reply: '' });
  return ledger;
}

it('an acknowledged plant is lost if it is missing, has another text, or only a rounded id', () => {
  const ledger = record([fern, 'stored']);
  expect(comparePlants(ledger, [fern])).toMatchObject({ acknowledged: 1, lost: 0, phantom: 0, failures: [] });
  expect(comparePlants(ledger, [])).toMatchObject({ lost: 1 });
  expect(comparePlants(ledger, [untagged])).toMatchObject({ lost: 1 });
  expect(comparePlants(ledger, [{ ...fern, id: 2n ** 53n }])).toMatchObject({ lost: 1, phantom: 1 });
});

it('a row is a phantom if nobody sent it, or if every request was rejected', () => {
  expect(comparePlants(new Ledger(), [fern])).toMatchObject({ phantom: 1 });
  expect(comparePlants(record([fern, 'rejected']), [fern])).toMatchObject({ phantom: 1 });
  expect(comparePlants(record([fern, 'no reply']), [untagged])).toMatchObject({ phantom: 1 });
  expect(comparePlants(record([fern, 'no reply'], [untagged, 'taken']), [untagged])).toMatchObject({
    phantom: 1,
  });
});

it('two rows of one id are double', () => {
  expect(comparePlants(record([fern, 'stored']), [fern, fern])).toMatchObject({ double: 1, lost: 0 });
});

it.each(['no reply', 'unavailable'] as const)('a plant may be stored or not after: %s', (kind) => {
  const ledger = record([fern, kind]);
  const unknown = { unknown: 1, lost: 0, phantom: 0, failures: [] };
  expect(comparePlants(ledger, [])).toMatchObject({ ...unknown, unknownStored: 0 });
  expect(comparePlants(ledger, [fern])).toMatchObject({ ...unknown, unknownStored: 1 });
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
])('reports replies that acknowledge %s', (_, sent, failure) => {
  expect(record(...sent).failures).toContainEqual(expect.stringContaining(failure));
});
