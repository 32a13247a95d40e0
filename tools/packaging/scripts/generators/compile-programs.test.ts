import { expect, it } from 'vitest';
import { findFailedOperations } from './compile-programs.js';

const program = `await useClient({
  create: (plant) => createPlant(plant),
  get: async (plant) => {
    return getPlant(plant.id);
  },
  delete: (plant) => deletePlant(plant.id),
});`;
const find = (printed: string) => findFailedOperations(printed, () => program);

it('finds the operations in which the compiler rejects plant.id', () => {
  const printed =
    'orval.ts(4,21): error TS2769: No overload matches.\n  Overload 1 of 2\norval.ts(6,34): error TS2345: no\n';
  expect(find(printed)).toEqual(new Map([['orval', new Set(['get', 'delete'])]]));
  expect(find('')).toEqual(new Map());
});

it.each([
  ['elsewhere in an operation', 'orval.ts(2,12): error TS2345: no'],
  ['outside of one', 'orval.ts(1,1): error TS2307: no'],
  ['in the documented program', 'orval.documented.ts(6,34): error TS2345: no'],
  ['in what was generated', 'generated/orval.ts(6,34): error TS2345: no'],
  ['in its configuration', 'error TS5023: Unknown compiler option.'],
])('takes no error for that: %s', (_, printed) => {
  expect(() => find(printed)).toThrow(printed);
});
