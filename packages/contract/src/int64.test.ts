import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { INT64_MAX, INT64_MIN, isInt64 } from './int64.js';

describe('the bounds', () => {
  it('are those of a 64-bit signed integer', () => {
    expect(INT64_MIN).toBe(-9223372036854775808n);
    expect(INT64_MAX).toBe(9223372036854775807n);
  });
});

describe('isInt64', () => {
  it.each([0, -0, 1, -1, 2 ** 53 - 1, -(2 ** 53 - 1), 0n, 1n, 2n ** 53n, INT64_MIN, INT64_MAX])(
    'takes %s',
    (value) => {
      expect(isInt64(value)).toBe(true);
    },
  );

  it.each([
    ['-2^63 - 1', INT64_MIN - 1n],
    ['2^63', INT64_MAX + 1n],
    ['10^400', 10n ** 400n],
  ])('refuses the bigint %s, which is out of range', (_, value) => {
    expect(isInt64(value)).toBe(false);
  });

  it.each([1.5, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 2 ** 53, -(2 ** 53), 1e21])(
    'refuses the number %s, which is no integer or may have been rounded',
    (value) => {
      expect(isInt64(value)).toBe(false);
    },
  );

  it.each(['1', '', true, null, undefined, [1], {}, new Number(1), Symbol('1')])('refuses %o', (value) => {
    expect(isInt64(value)).toBe(false);
  });

  it('agrees with two’s complement for every bigint', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: INT64_MIN * 4n, max: INT64_MAX * 4n }), (value) => {
        expect(isInt64(value)).toBe(BigInt.asIntN(64, value) === value);
      }),
    );
  });
});
