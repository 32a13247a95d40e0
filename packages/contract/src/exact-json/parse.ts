import { LosslessNumber, parse } from 'lossless-json';
import { isInt64 } from '../int64.js';

/**
 * Parses JSON (RFC 8259) and keeps every 64-bit integer exact: a safe one as `number`, any other as `bigint`.
 *
 * `1.0` and `1e2` are the integers 1 and 100. A number that neither an int64 nor a fraction of type `number`
 * can stand for is given as a `LosslessNumber`, which no schema takes for a number. A member named twice is
 * accepted only with an equal value, and one named `__proto__` never.
 *
 * @throws {SyntaxError} when the text is not such JSON, or is nested too deeply; the message names the position
 * where it can.
 */
export function parseExactJson(text: string): unknown {
  try {
    return parse(text, mayNamePrototype.test(text) ? refusePrototype : undefined, parseNumber);
  } catch (error) {
    if (error instanceof RangeError) throw new SyntaxError('Nested too deeply', { cause: error });
    throw error;
  }
}

/** Matches whatever may spell `__proto__`, with or without escapes; a hit only means: look closer. */
const mayNamePrototype = /__proto__|\\u/;

function refusePrototype(name: string, value: unknown): unknown {
  if (name === '__proto__') throw new SyntaxError("A member must not be named '__proto__'");
  return value;
}

const plainSafeInteger = /^-?\d{1,15}$/;

function parseNumber(text: string): number | bigint | LosslessNumber {
  if (plainSafeInteger.test(text)) return Number(text) + 0;
  const integer = parseInt64(text);
  if (integer !== undefined) return Number.isSafeInteger(Number(integer)) ? Number(integer) : integer;
  const rounded = Number(text);
  // Rounding must not make an integer, or an infinity, out of what is none.
  return Number.isInteger(rounded) || !Number.isFinite(rounded) ? new LosslessNumber(text) : rounded;
}

const numberParts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const int64Digits = 19;

/** The int64 that a JSON number is exactly, in whatever notation, or `undefined`. Linear in the length of the text. */
function parseInt64(text: string): bigint | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = numberParts.exec(text) ?? [];
  const digits = whole + fraction;
  let start = 0;
  while (digits[start] === '0') start++;
  let end = digits.length;
  while (end > start && digits[end - 1] === '0') end--;
  if (start === end) return 0n;

  const zeros = Number(exponent) - fraction.length + (digits.length - end);
  if (zeros < 0 || end - start + zeros > int64Digits) return undefined;
  const value = BigInt(sign + digits.slice(start, end) + '0'.repeat(zeros));
  return isInt64(value) ? value : undefined;
}
