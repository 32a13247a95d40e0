/** The smallest 64-bit signed integer, -9223372036854775808. */
export const INT64_MIN = -(2n ** 63n);

/** The largest 64-bit signed integer, 9223372036854775807. */
export const INT64_MAX = 2n ** 63n - 1n;

/** Returns whether a value is an exact 64-bit signed integer. A `number` beyond ±(2^53 - 1) does not count, because it may be rounded. */
export function isInt64(value: unknown): value is number | bigint {
  if (typeof value === 'bigint') return value >= INT64_MIN && value <= INT64_MAX;
  return Number.isSafeInteger(value);
}

/** A JSON number that neither an int64 nor a fractional `number` can represent, as its exact text. */
export class NumberLiteral {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const int64Digits = 19;

/**
 * Returns the value of a JSON number in any notation: a safe integer or a fraction as `number`, another int64 as `bigint`, and anything
 * else as a `NumberLiteral`. Takes time linear in the length of the text.
 */
export function toExactNumber(text: string): number | bigint | NumberLiteral {
  const integer = parseInt64(text);
  if (integer !== undefined) return integer;
  const rounded = Number(text);
  // The exact value is not an int64, so a rounded value that is an integer or infinite would be wrong.
  return Number.isInteger(rounded) || !Number.isFinite(rounded) ? new NumberLiteral(text) : rounded;
}

const numberParts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Returns the int64 that a JSON number equals exactly, as a `number` if that is safe, or else as a `bigint`. Returns `undefined` if there
 * is none.
 */
function parseInt64(text: string): number | bigint | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = numberParts.exec(text) ?? [];
  const digits = whole + fraction;
  let start = 0;
  while (digits[start] === '0') start++;
  let end = digits.length;
  while (end > start && digits[end - 1] === '0') end--;
  if (start === end) return 0;

  const zeros = Number(exponent) - fraction.length + (digits.length - end);
  if (zeros < 0 || end - start + zeros > int64Digits) return undefined;
  const integer = BigInt(sign + digits.slice(start, end) + '0'.repeat(zeros));
  if (!isInt64(integer)) return undefined;
  const rounded = Number(integer);
  return Number.isSafeInteger(rounded) ? rounded : integer;
}
