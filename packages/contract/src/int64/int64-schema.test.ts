import { describe, expect, it } from 'vitest';
import { INT64_MAX, INT64_MIN } from './int64.js';
import { Int64Schema } from './int64-schema.js';

function messagesFor(value: unknown): string[] | undefined {
  return Int64Schema.safeParse(value).error?.issues.map((issue) => issue.message);
}

describe('Int64Schema', () => {
  it.each([
    [0, 0n],
    [-0, 0n],
    [-7, -7n],
    [2 ** 53 - 1, 9007199254740991n],
    [5n, 5n],
    [9007199254740993n, 9007199254740993n],
    [INT64_MIN, -9223372036854775808n],
    [INT64_MAX, 9223372036854775807n],
  ])('takes %s and gives a bigint', (value, expected) => {
    expect(Int64Schema.parse(value)).toBe(expected);
  });

  it.each([INT64_MIN - 1n, INT64_MAX + 1n, 1.5, 2 ** 53, Number.NaN, '1', '', true, null, [1], {}])(
    'refuses %o and reports what it takes',
    (value) => {
      expect(messagesFor(value)).toEqual([
        'must be an integer from -9223372036854775808 to 9223372036854775807',
      ]);
    },
  );

  it('reports a missing integer as required', () => {
    expect(messagesFor(undefined)).toEqual(['is required']);
  });
});
