import fc from 'fast-check';
import { expect, it } from 'vitest';
import { INT64_MAX, INT64_MIN, isInt64 } from './int64.js';

it('accepts safe numbers and 64-bit bigints', () => {
  expect([INT64_MIN, INT64_MAX]).toEqual([-9223372036854775808n, 9223372036854775807n]);
  const taken = [0, -0, 1, -1, 2 ** 53 - 1, -(2 ** 53 - 1), 0n, 2n ** 53n, INT64_MIN, INT64_MAX];
  expect(taken.filter((value) => !isInt64(value))).toEqual([]);
});

it('rejects everything else', () => {
  const refused = [
    INT64_MIN - 1n,
    INT64_MAX + 1n,
    10n ** 400n,
    1.5,
    NaN,
    Infinity,
    -Infinity,
    2 ** 53,
    -(2 ** 53),
    1e21,
    '1',
    '',
    true,
    null,
    undefined,
    [1],
    {},
    new Number(1),
    Symbol('1'),
  ];
  expect(refused.filter(isInt64)).toEqual([]);
});

it('agrees with two’s complement for every bigint', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: INT64_MIN * 4n, max: INT64_MAX * 4n }), (value) => {
      expect(isInt64(value)).toBe(BigInt.asIntN(64, value) === value);
    }),
  );
});
