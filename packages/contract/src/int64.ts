/** The smallest 64-bit signed integer, -9223372036854775808. */
export const INT64_MIN = -(2n ** 63n);

/** The largest 64-bit signed integer, 9223372036854775807. */
export const INT64_MAX = 2n ** 63n - 1n;

/** Returns whether a value is an exact 64-bit signed integer. A `number` beyond ±(2^53 - 1) does not count, because it may be rounded. */
export function isInt64(value: unknown): value is number | bigint {
  if (typeof value === 'bigint') return value >= INT64_MIN && value <= INT64_MAX;
  return Number.isSafeInteger(value);
}
