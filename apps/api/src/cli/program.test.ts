import { expect, it } from 'vitest';
import { parseDuration } from './program.js';

it.each([
  ['90s', 90_000],
  ['30m', 1_800_000],
  ['12h', 43_200_000],
  ['30d', 2_592_000_000],
  ['52w', 31_449_600_000],
])('reads %s', (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds);
});

it.each(['', '30', 'd', '0d', '-1d', '1.5d', '1y', '30 d', '1d12h', '1234567d'])('rejects %j', (text) => {
  expect(parseDuration(text)).toBeUndefined();
});
