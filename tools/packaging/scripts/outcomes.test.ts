import { expect, it } from 'vitest';
import { replaceTable } from './documented-table.js';
import { describeOutcomes, findFailedOperations } from './outcomes.js';

const exact = { id: '9007199254740993' };
const neighbour = { id: '9007199254740992' };

it('says what became of the plant, once where it is the same in all operations', () => {
  const report = { create: exact, list: neighbour, get: neighbour, delete: { thrown: 'ZodError' } };
  expect(describeOutcomes(['create'], report)).toBe('exact');
  expect(describeOutcomes(['get', 'delete'], report)).toBe(
    '**returns 9007199254740992**, **delete fails: ZodError**',
  );
  expect(describeOutcomes(['get', 'delete'], report, new Set(['get', 'delete']))).toBe('does not compile');
  expect(() => describeOutcomes(['create'], { ...report, create: {} })).toThrow('create did nothing');
});

const program =
  'await useClient({\n  create: (plant) => createPlant(plant),\n  get: (plant) => getPlant(plant.id),\n});';

it('finds the operations in which the compiler rejects plant.id, and takes no other error for that', () => {
  const find = (printed: string) => findFailedOperations(printed, () => program);
  expect(find('orval.ts(3,21): error TS2769: No.\n  Overload 1\n')).toEqual(
    new Map([['orval', new Set(['get'])]]),
  );
  for (const other of [
    'orval.ts(2,12)',
    'orval.ts(1,1)',
    'orval.documented.ts(3,34)',
    'generated/orval.ts(3,34)',
  ]) {
    expect(() => find(`${other}: error TS2345: no`)).toThrow(other);
  }
});

it('replaces only the table with the same header row', () => {
  const page = 'before\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n| a | c |\n|---|---|\n';
  const text = replaceTable(page, { head: ['a', 'b'], rows: [['5', '6']] });
  expect(text).toBe('before\n\n| a | b |\n|---|---|\n| 5 | 6 |\n\n| a | c |\n|---|---|\n');
  expect(() => replaceTable(page, { head: ['x'], rows: [] })).toThrow('No table begins with | x |');
});
