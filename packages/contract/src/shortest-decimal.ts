import { toAsciiNumber } from './ascii-number.js';
import { isInt64, toExactNumber } from './int64.js';

/** More characters than any number that a person would write. */
const maxLength = 100;

/**
 * Converts an int64 in another notation, such as `+7`, `007`, `7.0`, or `٧`, to the shortest decimal notation. Returns `undefined` if the text
 * is not an int64.
 */
export function toShortestDecimal(text: string): string | undefined {
  if (text.length > maxLength) return undefined;
  const number = toAsciiNumber(text);
  if (!/^[+-]?\d+(\.\d+)?(e[+-]?\d{1,3})?$/i.test(number)) return undefined;
  const value = toExactNumber(number.replace(/^\+/, ''));
  return isInt64(value) ? String(value) : undefined;
}
