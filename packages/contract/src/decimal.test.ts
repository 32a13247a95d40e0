import { expect, it } from 'vitest';
import { toAsciiNumber, toShortestDecimal } from './decimal.js';

it.each([
  ['Arabic-Indic', '٠١٢٣٤٥٦٧٨٩'],
  ['Persian', '۰۱۲۳۴۵۶۷۸۹'],
  ['Devanagari', '०१२३४५६७८९'],
  ['Bengali', '০১২৩৪৫৬৭৮৯'],
  ['Thai', '๐๑๒๓๔๕๖๗๘๙'],
  ['fullwidth', '０１２３４５６７８９'],
  ['mathematical bold, beside other styles', '𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗'],
  ['mathematical monospace', '𝟶𝟷𝟸𝟹𝟺𝟻𝟼𝟽𝟾𝟿'],
  ['ASCII', '0123456789'],
])('reads the digits of each script: %s', (_, digits) => {
  expect(toAsciiNumber(digits)).toBe('0123456789');
});

it.each([
  ['a minus sign', '\u22127', '-7'],
  ['a fullwidth minus and plus', '－７', '-7'],
  ['a fullwidth plus', '＋７', '+7'],
  ['an en dash', '–7', '-7'],
  ['white space, and one that does not break', '\u00a0 7\u3000\n', '7'],
  [
    'marks of a direction, a byte order mark, and a space without width',
    '\u200e\u2067\ufeff4\u200b2\u2069',
    '42',
  ],
  ['what is no number', 'x−7 ²', 'x−7 ²'],
])('reads %s', (_, text, expected) => {
  expect(toAsciiNumber(text)).toBe(expected);
});

it.each([
  ['7', ' 7', '+7', '007', '7.0', '7.00', '70e-1', '٧', '７', '\u200e7'],
  ['100', '1e2', '1E+2', '100.000'],
  ['0', '-0', '0', '00', '+0', '0.0'],
  ['-7', '-07', '\u22127', '-7.0'],
  ['9223372036854775807', '+9223372036854775807', '9223372036854775807.0'],
  ['-9223372036854775808', '-09223372036854775808'],
])('gives the shortest notation, %s', (shortest, ...texts) => {
  for (const text of texts) expect(toShortestDecimal(text), text).toBe(shortest);
});

it.each([
  ...['', ' ', '-', '+', '7.5', '1,000', '1 000', '1e-1', '0x7', '7n', 'seven', '²', '١a', 'NaN', 'Infinity'],
  ...['9223372036854775808', '1e19', '1e999', '7.', '.7', `${'0'.repeat(100)}7`, '--7', '+-7'],
])('gives none for %j', (text) => {
  expect(toShortestDecimal(text)).toBeUndefined();
});
