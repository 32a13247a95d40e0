import { toAsciiNumber } from './ascii-number.js';
import { toExactNumber } from './exact-json/number.js';
import { isInt64 } from './int64.js';

/** Longer than any number that a person would write. */
const longest = 100;

/**
 * Converts another notation of an int64, such as `+7`, `007`, `7.0` or `٧`, to the shortest decimal one. `undefined` if it is not an int64.
 */
export function toShortestDecimal(text: string): string | undefined {
  if (text.length > longest) return undefined;
  const number = toAsciiNumber(text);
  if (!/^[+-]?\d+(\.\d+)?(e[+-]?\d{1,3})?$/i.test(number)) return undefined;
  const value = toExactNumber(number.replace(/^\+/, ''));
  return isInt64(value) ? String(value) : undefined;
}
