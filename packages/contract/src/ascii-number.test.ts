import { expect, it } from 'vitest';
import { toAsciiNumber } from './ascii-number.js';

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
  ['separators', '١٬٠٠٠٫٥', '1,000.5'],
  ['fullwidth separators', '１，０００．５', '1,000.5'],
  ['what is no number', 'x−7 ²', 'x−7 ²'],
])('reads %s', (_, text, expected) => {
  expect(toAsciiNumber(text)).toBe(expected);
});
