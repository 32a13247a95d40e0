import { describe, expect, it } from 'vitest';
import { formatTable, median, medians, outcomeOf } from './index.js';

describe('median', () => {
  it.each([
    [[3], 3],
    [[9, 1, 5], 5],
    [[10, 1, 2, 3], 2.5],
    [[], Number.NaN],
  ])('of %j is %d', (values, expected) => {
    expect(median(values)).toBe(expected);
  });
});

it('takes the median of each named figure', () => {
  const rounds = [
    { p50Ms: 1, p99Ms: 9, errors: 0 },
    { p50Ms: 3, p99Ms: 7, errors: 5 },
  ];
  expect(medians(rounds, 'p50Ms', 'p99Ms')).toEqual({ p50Ms: 2, p99Ms: 8 });
});

it('sums the errors of rounds, and is valid where every one is', () => {
  const rounds = [
    { errors: 1, valid: true },
    { errors: 2, valid: false },
  ];
  expect(outcomeOf(rounds)).toEqual({ errors: 3, valid: false });
  expect(outcomeOf(rounds.slice(0, 1))).toEqual({ errors: 1, valid: true });
});

describe('formatTable', () => {
  it('aligns names to the left and figures to the right', () => {
    const table = formatTable(
      ['', 'requests/s'],
      [
        ['Plant Store', '12,345'],
        ['another', '9'],
      ],
    );
    expect(table.split('\n')).toEqual([
      '|             | requests/s |',
      '|-------------|-----------:|',
      '| Plant Store |     12,345 |',
      '| another     |          9 |',
    ]);
  });

  it('separates the thousands of numbers', () => {
    const table = formatTable(
      ['one call with', 'bytes'],
      [
        ['a client', 6426],
        ['another', 'unknown'],
      ],
    );
    expect(table.split('\n')).toEqual([
      '| one call with |   bytes |',
      '|---------------|--------:|',
      '| a client      |   6,426 |',
      '| another       | unknown |',
    ]);
  });
});
