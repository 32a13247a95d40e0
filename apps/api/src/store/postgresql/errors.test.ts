import { expect, it } from 'vitest';
import { meaningOf } from './errors.js';

// A new major version of PostgreSQL may add classes: compare its documentation.

/** Every class of SQLSTATE that the server may raise, according to its documentation and source, and codes whose meaning is another one. */
it.each([
  ['unavailable', '08 0A 0P 24 25 26 28 2D 34 3B 3D 3F 40 53 55 57 58 72 F0 HV XX', '42501 42P05'],
  ['damaged', '', 'XX001 XX002'],
  ['bug', '00 01 02 03 09 0B 0F 0L 0Z 10 20 21 22 23 27 2B 2F 38 39 42 44 54 P0 ZZ', '42P01 42P10'],
])('interprets as %s: %s %s', (meaning, classes, codes) => {
  const ofClasses = (classes.match(/\w+/g) ?? []).flatMap((name) => [`${name}000`, `${name}P99`]);
  const all = [...ofClasses, ...codes.split(' ')];
  expect(all.map((code) => [code, meaningOf(code)])).toEqual(all.map((code) => [code, meaning]));
});
