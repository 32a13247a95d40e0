import { expect, it } from 'vitest';
import { classes, exceptions, meaningOf } from './errors.js';

// A new major version of PostgreSQL may add classes and messages: compare its documentation.

/** Every class that the server may raise, according to its documentation and source. */
const classesOfPostgresql =
  '00 01 02 03 08 09 0A 0B 0F 0L 0P 0Z 10 20 21 22 23 24 25 26 27 28 2B 2D 2F 34 38 39 3B 3D 3F 40 42 44 53 54 55 57 58 F0 HV P0 XX';

it('has a meaning for every class', () => {
  // Not raised since PostgreSQL 17.
  const known = [...classesOfPostgresql.split(' '), '72'];
  expect(Object.keys(classes).toSorted()).toEqual(known.toSorted());
});

it.each([
  [
    'unavailable',
    '08006 0A000 25006 25P02 26000 28P01 3D000 3F000 40001 40003 40P01 42501 42P05 53100 53300 55P03 57014',
  ],
  ['unavailable', '57P01 57P03 58030 72000 F0000 HV000 XX000'],
  ['damaged', 'XX001 XX002'],
  ['bug', '21000 22001 22021 23505 23514 42601 42703 42804 42883 42P01 42P10 54000 P0001 ZZ999'],
])('interprets as %s: %s', (meaning, codes) => {
  for (const code of codes.split(' ')) expect([code, meaningOf(code)]).toEqual([code, meaning]);
});

it('has no exception with the meaning of its class', () => {
  for (const [code, meaning] of Object.entries(exceptions))
    expect(classes[code.slice(0, 2)]).not.toBe(meaning);
});
