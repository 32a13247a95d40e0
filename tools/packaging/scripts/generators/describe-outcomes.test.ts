import { expect, it } from 'vitest';
import { describeOutcomes } from './describe-outcomes.js';

const exact = { id: '9007199254740993' };
const neighbour = { id: '9007199254740992' };

it('says once what became of the plant in all of the operations', () => {
  const report = { create: neighbour, list: neighbour, get: exact, delete: exact };
  expect(describeOutcomes(['get', 'delete'], report)).toBe('exact');
  expect(describeOutcomes(['create'], report)).toBe('**stores 9007199254740992**');
  expect(describeOutcomes(['list'], report)).toBe('**lists 9007199254740992**');
  expect(describeOutcomes(['get', 'delete'], report, new Set(['get', 'delete']))).toBe('does not compile');
});

it('says what became of it in each operation where these differ', () => {
  const report = { create: exact, list: exact, get: neighbour, delete: { thrown: 'ZodError' } };
  expect(describeOutcomes(['get', 'delete'], report)).toBe(
    '**returns 9007199254740992**, **delete fails: ZodError**',
  );
  expect(describeOutcomes(['get', 'delete'], report, new Set(['delete']))).toBe(
    '**returns 9007199254740992**, does not compile',
  );
});

it('takes no operation for exact that did nothing', () => {
  expect(() => describeOutcomes(['create'], { create: {}, list: exact, get: exact, delete: exact })).toThrow(
    'create did nothing',
  );
});
