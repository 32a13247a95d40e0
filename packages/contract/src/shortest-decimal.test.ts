import { expect, it } from 'vitest';
import { toShortestDecimal } from './shortest-decimal.js';

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

const others =
  '-|+|7.5|1,000|1 000|1e-1|0x7|7n|seven|²|١a|NaN|Infinity|9223372036854775808|1e19|1e999|7.|.7|--7|+-7';

it.each(['', ' ', ...others.split('|'), `${'0'.repeat(100)}7`])('gives none for %j', (text) => {
  expect(toShortestDecimal(text)).toBeUndefined();
});
