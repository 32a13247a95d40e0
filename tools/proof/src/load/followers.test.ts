import { expect, it } from 'vitest';
import { garden } from '../../../../packages/records/test/garden.js';
import { compareFollowers, toChange } from './followers.js';
import type { Change } from './history.js';
import { erasedFields, toTestedResource } from './records.js';

const resource = toTestedResource(garden);
const fieldsOf = (name: string) => ({ ...erasedFields(resource), name });

/** Changes such as `created 1@5`: of the record 1, at 5. */
const toChanges = (text: string): readonly Change[] =>
  text.split(', ').map((change) => {
    const [kind, idText = '', at = ''] = change.split(/[ @]/);
    const shown = kind === 'deleted' ? {} : { garden: { id: BigInt(idText), ...fieldsOf(`${kind} ${at}`) } };
    return toChange(resource, { kind, id: BigInt(idText), at, ...shown });
  });

const listed = 'created 2@2, updated 1@3, deleted 3@5';
const all = 'created 1@1, created 2@2, updated 1@3, created 3@4, deleted 3@5';

it.each<readonly [first: string, ...failures: readonly string[]]>([
  [all],
  [listed],
  ['created 1@1, created 2@2, updated 1@3, deleted 3@5'],
  ['created 2@2, updated 1@3', 'last changes of follower 1: at 2 undefined'],
  ['created 1@1, created 2@2, deleted 3@5', 'last changes of follower 1: at 0 created 1'],
  [`${listed}, created 4@6`, 'last changes of follower 1: at 3 created 4'],
  ['updated 1@3, created 2@2, deleted 3@5', 'last changes of follower 1: at 0', 'changes of follower 2'],
  ['created 2@2, created 1@1, updated 1@3, deleted 3@5', 'changes of follower 2, with those of 1: at 0'],
  ['created 2@2, created 2@2, updated 1@3, deleted 3@5', 'follower 1 got a change twice', 'changes of'],
  [`${all}, deleted 3@6`, 'last changes of follower 1: at 2 deleted 3'],
])('of a follower that gets %s is reported', (first, ...failures) => {
  const rows = [
    { resource, id: 1n, deleted: false, fields: fieldsOf('updated 3') },
    { resource, id: 2n, deleted: false, fields: fieldsOf('created 2') },
    { resource, id: 3n, deleted: true, fields: erasedFields(resource) },
  ];
  const seen = [toChanges(first), toChanges(all)];
  const compare = (stored: typeof rows) => compareFollowers(stored, toChanges(listed), seen);
  expect(compare(rows)).toEqual(failures.map((text) => expect.stringContaining(text)));
  const [one, two, three] = rows as [(typeof rows)[0], (typeof rows)[0], (typeof rows)[0]];
  const wrong = [
    [two, three],
    [{ ...one, fields: fieldsOf('created 1') }, two, three],
    [one, two, { ...three, deleted: false }],
  ];
  for (const stored of [...wrong, [...rows, { ...one, id: 4n }]])
    expect(compare(stored)).toHaveLength(failures.length + 1);
});
