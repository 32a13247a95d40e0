import { isInt64 } from '../int64/int64.js';
import { NumberLiteral } from './number-literal.js';

/** So many decimal digits a `number` always keeps apart from any others. */
const safeDigits = 15;
const int64Digits = 19;

/** What a JSON number without fraction and exponent stands for: the same as `toExactNumber` gives, sooner. */
export function toExactInteger(text: string): number | bigint | NumberLiteral {
  if (text.length <= safeDigits) return Number(text) + 0;
  if (text.length > '-'.length + int64Digits) return new NumberLiteral(text);
  return narrow(BigInt(text)) ?? new NumberLiteral(text);
}

/** What a JSON number with a fraction and no exponent stands for: the same as `toExactNumber` gives, sooner. */
export function toExactDecimal(text: string): number | bigint | NumberLiteral {
  // A `number` distinguishes all values of so few digits, so none of them is rounded to an integer.
  return text.length <= safeDigits ? Number(text) + 0 : toExactNumber(text);
}

/**
 * What a JSON number stands for: a safe integer as `number`, another int64 as `bigint`, each in whatever notation,
 * a fraction as `number`, and anything else as it is written. Takes time linear in the length of the text.
 */
export function toExactNumber(text: string): number | bigint | NumberLiteral {
  const integer = parseInt64(text);
  if (integer !== undefined) return integer;
  const rounded = Number(text);
  // Rounding must not make an integer, or an infinity, out of what is none.
  return Number.isInteger(rounded) || !Number.isFinite(rounded) ? new NumberLiteral(text) : rounded;
}

const numberParts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** The int64 that a JSON number is exactly, or `undefined`. */
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
  return narrow(BigInt(sign + digits.slice(start, end) + '0'.repeat(zeros)));
}

/** An int64 as `number` where that is safe; what is none is `undefined`. */
function narrow(integer: bigint): number | bigint | undefined {
  if (!isInt64(integer)) return undefined;
  const rounded = Number(integer);
  return Number.isSafeInteger(rounded) ? rounded : integer;
}
