import { InvalidArgumentError } from 'commander';
import { expect, it } from 'vitest';
import { toDurationMs } from './program.js';

it.each([
  ['90s', 90_000],
  ['30m', 1_800_000],
  ['12h', 43_200_000],
  ['30d', 2_592_000_000],
  ['52w', 31_449_600_000],
])('reads the duration %s', (text, milliseconds) => {
  expect(toDurationMs(text)).toBe(milliseconds);
});

it.each(['', '30', 'd', '0d', '-1d', '1.5d', '1y', '30 d', '1d12h', '1234567d', '999999w'])(
  'rejects %j as a duration',
  (text) => {
    expect(() => toDurationMs(text)).toThrow(InvalidArgumentError);
  },
);
