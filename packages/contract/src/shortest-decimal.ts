import { toAsciiNumber } from './ascii-number.js';
import { toExactNumber } from './exact-json/number.js';
import { isInt64 } from './int64.js';

/** More than a number has that somebody wrote. */
const longest = 100;

/** The shortest decimal notation of an int64 that is written in another one, such as `+7`, `007`, `7.0` or `٧`, if it is one. */
export function toShortestDecimal(text: string): string | undefined {
  if (text.length > longest) return undefined;
  const number = toAsciiNumber(text);
  if (!/^[+-]?\d+(\.\d+)?(e[+-]?\d{1,3})?$/i.test(number)) return undefined;
  const value = toExactNumber(number.replace(/^\+/, ''));
  return isInt64(value) ? String(value) : undefined;
}
