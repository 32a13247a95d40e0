import { toExactNumber } from './exact-json/number.js';
import { isInt64 } from './int64.js';

/**
 * A number as people type or paste it, in ASCII: digits of any script, minus and plus signs, and without white space around it or
 * characters that nobody sees, such as those that set the direction of text.
 */
export function toAsciiNumber(text: string): string {
  return text
    .replaceAll(/\p{Cf}/gu, '')
    .trim()
    .replace(/^[\u2010-\u2013\u2212\uFE63\uFF0D]/u, '-')
    .replace(/^[\uFE62\uFF0B]/u, '+')
    .replaceAll(/\p{Nd}/gu, toAsciiDigit);
}

/** The digits of each script are in a row in Unicode, from 0 to 9, and so are the rows beside each other. */
function toAsciiDigit(digit: string): string {
  const codePoint = digit.codePointAt(0) ?? 0;
  let before = codePoint;
  while (/\p{Nd}/u.test(String.fromCodePoint(before - 1))) before--;
  return String((codePoint - before) % 10);
}

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
