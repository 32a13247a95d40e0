import { InvalidArgumentError } from 'commander';
import { expect, it } from 'vitest';
import { toDurationMs } from './program.js';

it('reads durations', () => {
  const units = {
    '90s': 90_000,
    '30m': 1_800_000,
    '12h': 43_200_000,
    '30d': 2_592_000_000,
    '1w': 604_800_000,
  };
  for (const [text, milliseconds] of Object.entries(units)) expect(toDurationMs(text)).toBe(milliseconds);
  for (const text of ['', '30', 'd', '0d', '-1d', '1.5d', '1y', '30 d', '1d12h', '1234567d', '999999w'])
    expect(() => toDurationMs(text), text).toThrow(InvalidArgumentError);
});
