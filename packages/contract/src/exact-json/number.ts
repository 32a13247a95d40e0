import { isInt64 } from '../int64.js';

/** A JSON number that neither an int64 nor a fractional `number` can represent, as its exact text. */
export class NumberLiteral {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** How many decimal digits a `number` always distinguishes. */
const safeDigits = 15;
const int64Digits = 19;

/** The value of a JSON number without a fraction or an exponent: what `toExactNumber` returns, in less time. */
export function toExactInteger(text: string): number | bigint | NumberLiteral {
  if (text.length <= safeDigits) return Number(text) + 0;
  if (text.length > '-'.length + int64Digits) return new NumberLiteral(text);
  return narrow(BigInt(text)) ?? new NumberLiteral(text);
}

/**
 * The value of a JSON number in any notation: a safe integer as `number`, another int64 as `bigint`, a fraction as
 * `number`, anything else as a `NumberLiteral`. Takes time linear in the length of the text.
 */
export function toExactNumber(text: string): number | bigint | NumberLiteral {
  const integer = parseInt64(text);
  if (integer !== undefined) return integer;
  const rounded = Number(text);
  // It is not an integer of 64 bits, so rounding must not make it an integer, nor an infinity.
  return Number.isInteger(rounded) || !Number.isFinite(rounded) ? new NumberLiteral(text) : rounded;
}

const numberParts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** The int64 that a JSON number equals exactly, or `undefined`. */
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

/** Returns an int64, as `number` where that is safe, and `undefined` for any other integer. */
function narrow(integer: bigint): number | bigint | undefined {
  if (!isInt64(integer)) return undefined;
  const rounded = Number(integer);
  return Number.isSafeInteger(rounded) ? rounded : integer;
}
