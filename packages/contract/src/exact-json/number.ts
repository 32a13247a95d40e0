import { isInt64 } from '../int64/int64.js';
import { DIGIT_0, DIGIT_9, LOWER_E, MINUS, PLUS, POINT, UPPER_E } from './code-units.js';
import type { Cursor } from './cursor.js';
import { NumberLiteral } from './number-literal.js';

/**
 * Reads the number (RFC 8259, section 6) that starts at the cursor, and moves the cursor behind it.
 *
 * @throws {SyntaxError} where a digit is missing
 */
export function readNumber(cursor: Cursor): number | bigint | NumberLiteral {
  const start = cursor.position;
  if (cursor.peek() === MINUS) cursor.position++;
  // A leading zero is the whole integer part.
  if (cursor.peek() === DIGIT_0) cursor.position++;
  else skipDigits(cursor);
  const hasFraction = cursor.peek() === POINT;
  if (hasFraction) {
    cursor.position++;
    skipDigits(cursor);
  }
  const hasExponent = isExponent(cursor.peek());
  if (hasExponent) {
    cursor.position++;
    skipSign(cursor);
    skipDigits(cursor);
  }
  const text = cursor.text.slice(start, cursor.position);
  if (hasExponent) return toExactNumber(text);
  return hasFraction ? toExactDecimal(text) : toExactInteger(text);
}

function isExponent(code: number): boolean {
  return code === LOWER_E || code === UPPER_E;
}

function skipSign(cursor: Cursor): void {
  const code = cursor.peek();
  if (code === PLUS || code === MINUS) cursor.position++;
}

function skipDigits(cursor: Cursor): void {
  const { text, position: start } = cursor;
  let end = start;
  while (end < text.length && isDigit(text.charCodeAt(end))) end++;
  cursor.position = end;
  if (end === start) throw cursor.expected('a digit');
}

function isDigit(code: number): boolean {
  return code >= DIGIT_0 && code <= DIGIT_9;
}

/** How many decimal digits a `number` always distinguishes. */
const safeDigits = 15;
const int64Digits = 19;

/** The value of a JSON number without a fraction or an exponent: what `toExactNumber` returns, in less time. */
function toExactInteger(text: string): number | bigint | NumberLiteral {
  if (text.length <= safeDigits) return Number(text) + 0;
  if (text.length > '-'.length + int64Digits) return new NumberLiteral(text);
  return narrow(BigInt(text)) ?? new NumberLiteral(text);
}

/** The value of a JSON number with a fraction and no exponent: what `toExactNumber` returns, in less time. */
function toExactDecimal(text: string): number | bigint | NumberLiteral {
  // A `number` distinguishes all values of so few digits, so none of them is rounded to an integer.
  return text.length <= safeDigits ? Number(text) + 0 : toExactNumber(text);
}

/**
 * The value of a JSON number in any notation: a safe integer as `number`, another int64 as `bigint`, a fraction as
 * `number`, anything else as a `NumberLiteral`. Takes time linear in the length of the text.
 */
function toExactNumber(text: string): number | bigint | NumberLiteral {
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
