import { expect, it } from 'vitest';
import { garden } from '../../../../packages/records/test/garden.js';
import type { Row, StateRow } from '../system/databases.js';
import { compareStates } from './compare-states.js';
import type { Request } from './history.js';
import { Ledger, type Outcome } from './ledger.js';
import { toTestedResource } from './records.js';

const resource = toTestedResource(garden);
const id = 2n ** 53n + 1n;
const fieldsOf = (name: string) => ({ name, isOpen: true, plantIds: [1n, 2n] });
const recordOf = (name: string) => ({ resource, id, fields: fieldsOf(name) });
const state = (name: string, place: number, since: number): StateRow => ({
  ...recordOf(name),
  place,
  since,
  until: since + 1,
});
const row = (name: string, since: number): Row => ({ ...recordOf(name), since, deleted: false });

/** A ledger with a create of `a`, and updates such as `b c?`; those with `?` were not acknowledged. */
function record(updates: string, others: readonly Request['action'][] = []): Ledger {
  const ledger = new Ledger();
  ledger.note({ action: 'create', record: recordOf('a') }).end({ kind: 'stored' });
  for (const update of updates.split(' ')) {
    const name = update.replace('?', '');
    const outcome: Outcome = update.endsWith('?')
      ? { kind: 'unavailable' }
      : { kind: 'shown', records: [{ ...recordOf(name), etag: name }] };
    ledger.note({ action: 'update', record: recordOf(name) }).end(outcome);
  }
  for (const what of others) ledger.note({ action: what, record: recordOf('a') }).end({ kind: 'deleted' });
  return ledger;
}

const history = [state('a', 1, 5), state('b', 2, 6)];

it.each<[string, Ledger, readonly Row[], readonly StateRow[], string | undefined]>([
  ['all states', record('b c'), [row('c', 7)], history, undefined],
  ['an update that may have failed', record('b c?'), [row('b', 6)], [state('a', 1, 5)], undefined],
  ['one that may have succeeded', record('b c?'), [row('c', 7)], history, undefined],
  ['only a create', record('b?'), [row('a', 5)], [], undefined],
  [
    'a missing first state',
    record('b c'),
    [row('c', 7)],
    [state('b', 2, 6)],
    'was acknowledged, and is missing',
  ],
  ['a lost one', record('b c'), [row('c', 6)], [state('a', 1, 5)], 'was acknowledged, and is missing'],
  ['a gap', record('b c'), [row('c', 9)], history, 'a state ends at 7, and the next begins at 9'],
  ['a state twice', record('b'), [row('b', 7)], history, 'a state that ends at 7 equals the next'],
  ['one that no caller has sent', record('c'), [row('c', 7)], history, 'no caller sent'],
  ['states of no row', record('b'), [], history, 'has states, and no row'],
  [
    'states of a deleted record',
    record('b', ['delete']),
    [{ ...row('', 7), deleted: true }],
    history,
    'a deleted record has states',
  ],
  ['only what came after a delete', record('b c', ['delete']), [row('c', 7)], [], undefined],
])('%s', (_, ledger, rows, states, problem) => {
  const failures = compareStates(ledger, rows, states);
  expect(failures).toEqual(problem === undefined ? [] : [expect.stringContaining(problem)]);
});
