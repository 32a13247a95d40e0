import { DIGIT_0, DIGIT_9, LOWER_E, MINUS, PLUS, POINT, UPPER_E } from './code-units.js';
import type { Cursor } from './cursor.js';
import { toExactDecimal, toExactInteger, toExactNumber } from './exact-number.js';
import type { NumberLiteral } from './number-literal.js';

/**
 * Reads the number (RFC 8259, section 6) that begins at the cursor.
 *
 * @throws {SyntaxError} where a digit is missing.
 */
export function readNumber(cursor: Cursor): number | bigint | NumberLiteral {
  const start = cursor.position;
  if (cursor.peek() === MINUS) cursor.position++;
  // A leading zero stands alone: what follows it is no longer of the number.
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
