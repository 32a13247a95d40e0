import { NumberLiteral, toExactDecimal, toExactInteger, toExactNumber } from './number.js';

/** How many arrays and objects may stand one within the other; RFC 8259, section 9 allows a limit. */
const maxNesting = 500;

/**
 * Parses JSON (RFC 8259) and keeps every 64-bit integer exact: a safe one as `number`, any other as `bigint`.
 *
 * `1.0` and `1e2` are the integers 1 and 100. A number that neither an int64 nor a fraction of type `number`
 * can stand for is given as a `NumberLiteral`, which no schema takes for a number. A member named twice is
 * accepted only with an equal value, and one named `__proto__` never.
 *
 * @throws {SyntaxError} when the text is not such JSON, or is nested deeper than 500 levels; the message names
 * the position.
 */
export function parseExactJson(text: string): unknown {
  const cursor = new Cursor(text);
  const value = readValue(cursor, 0);
  if (cursor.peekAfterSpace() !== END) throw cursor.expected('end of input');
  return value;
}

function readValue(cursor: Cursor, depth: number): unknown {
  const code = cursor.peekAfterSpace();
  switch (code) {
    case QUOTE:
      return readString(cursor);
    case OPENING_BRACE:
      return readObject(cursor, depth + 1);
    case OPENING_BRACKET:
      return readArray(cursor, depth + 1);
    case LOWER_T:
      return readWord(cursor, 'true', true);
    case LOWER_F:
      return readWord(cursor, 'false', false);
    case LOWER_N:
      return readWord(cursor, 'null', null);
    default:
      if (code === MINUS || (code >= DIGIT_0 && code <= DIGIT_9)) return readNumber(cursor);
      throw cursor.expected('a value');
  }
}

function readArray(cursor: Cursor, depth: number): unknown[] {
  const array: unknown[] = [];
  if (enter(cursor, depth) !== CLOSING_BRACKET) {
    do array.push(readValue(cursor, depth));
    while (passComma(cursor));
  }
  leave(cursor, CLOSING_BRACKET, "',' or ']'");
  return array;
}

function readObject(cursor: Cursor, depth: number): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  if (enter(cursor, depth) !== CLOSING_BRACE) {
    do readMember(cursor, depth, object);
    while (passComma(cursor));
  }
  leave(cursor, CLOSING_BRACE, "',' or '}'");
  return object;
}

function readMember(cursor: Cursor, depth: number, object: Record<string, unknown>): void {
  if (cursor.peekAfterSpace() !== QUOTE) throw cursor.expected('a name in double quotes');
  const start = cursor.position;
  const name = readString(cursor);
  // Assigned, it would become the prototype of the object instead of a member.
  if (name === '__proto__') throw cursor.error("Forbidden member '__proto__'", start);
  if (cursor.peekAfterSpace() !== COLON) throw cursor.expected("':'");
  cursor.position++;
  const value = readValue(cursor, depth);
  if (Object.hasOwn(object, name) && !isEqual(object[name], value)) {
    throw cursor.error(`Duplicate member '${name}' with a different value`, start);
  }
  object[name] = value;
}

/** Moves on over an opening bracket or brace, and gives the code unit of what stands within. */
function enter(cursor: Cursor, depth: number): number {
  if (depth > maxNesting) throw cursor.error('Nested too deeply');
  cursor.position++;
  return cursor.peekAfterSpace();
}

function passComma(cursor: Cursor): boolean {
  const isComma = cursor.peekAfterSpace() === COMMA;
  if (isComma) cursor.position++;
  return isComma;
}

function leave(cursor: Cursor, closing: number, expected: string): void {
  if (cursor.peek() !== closing) throw cursor.expected(expected);
  cursor.position++;
}

function readWord<Value>(cursor: Cursor, word: string, value: Value): Value {
  if (!cursor.text.startsWith(word, cursor.position)) throw cursor.expected('a value');
  cursor.position += word.length;
  return value;
}

/**
 * Reads the string (RFC 8259, section 7) whose opening quote is at the cursor, and moves the cursor behind it. An
 * unpaired surrogate is kept.
 *
 * @throws {SyntaxError} when it does not end, or has an unknown escape or an unescaped control character
 */
function readString(cursor: Cursor): string {
  const { text, position: start } = cursor;
  let escaped = false;
  let end = start + 1;
  while (end < text.length) {
    const code = text.charCodeAt(end);
    if (code === QUOTE) {
      cursor.position = end + 1;
      return escaped ? resolveEscapes(cursor, start) : text.slice(start + 1, end);
    }
    if (code < SPACE) throw cursor.error('Bare control character in a string', end);
    if (code === BACKSLASH) {
      escaped = true;
      end++;
    }
    end++;
  }
  cursor.position = text.length;
  throw cursor.expected("a closing '\"'");
}

/** What the string from `start` to the cursor, quotes included, stands for. */
function resolveEscapes(cursor: Cursor, start: number): string {
  const token = cursor.text.slice(start, cursor.position);
  try {
    return JSON.parse(token);
  } catch {
    throw cursor.error('Unknown escape in a string', start + findUnknownEscape(token));
  }
}

function findUnknownEscape(token: string): number {
  for (const { 0: matched, index } of token.matchAll(/\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})?/g)) {
    if (matched === '\\') return index;
  }
  return 0;
}

/**
 * Reads the number (RFC 8259, section 6) that starts at the cursor, and moves the cursor behind it.
 *
 * @throws {SyntaxError} where a digit is missing
 */
function readNumber(cursor: Cursor): number | bigint | NumberLiteral {
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

/**
 * Whether two values that `parseExactJson` gives are the same: of one type, arrays with equal items in the same
 * order, objects with equal members in any order, numbers kept as written with the same text.
 */
function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!isObject(a) || !isObject(b)) return false;
  if (a instanceof NumberLiteral || b instanceof NumberLiteral) {
    return a instanceof NumberLiteral && b instanceof NumberLiteral && a.text === b.text;
  }
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && haveEqualItems(a, b);
  }
  return haveEqualMembers(a, b);
}

function haveEqualItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => isEqual(item, b[index]));
}

type JsonObject = Readonly<Record<string, unknown>>;

// A name that `b` lacks gives `undefined` or a method of objects, neither of which JSON can equal.
function haveEqualMembers(a: JsonObject, b: JsonObject): boolean {
  const members = Object.entries(a);
  return (
    members.length === Object.keys(b).length && members.every(([name, value]) => isEqual(value, b[name]))
  );
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null;
}

/** A JSON text and the position up to which it is read, in UTF-16 code units. */
class Cursor {
  readonly text: string;
  position = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** The code unit at the position, or `END`. */
  peek(): number {
    // Reading beyond the end would give NaN, and make V8 drop its fastest code.
    return this.position < this.text.length ? this.text.charCodeAt(this.position) : END;
  }

  /** Skips white space (RFC 8259, section 2) and gives what `peek` gives there. */
  peekAfterSpace(): number {
    let code = this.peek();
    while (code === SPACE || code === LINE_FEED || code === CARRIAGE_RETURN || code === TAB) {
      this.position++;
      code = this.peek();
    }
    return code;
  }

  /** The error for a text that does not follow the grammar at the position, where `expected` belongs. */
  expected(expected: string): SyntaxError {
    const next = this.text.codePointAt(this.position);
    const found = next === undefined ? 'reached end of input' : `got '${String.fromCodePoint(next)}'`;
    return this.error(`Expected ${expected} but ${found}`);
  }

  /** A syntax error at a position: this one, or another that is given. */
  error(problem: string, position = this.position): SyntaxError {
    return new SyntaxError(`${problem} at position ${position}`);
  }
}

/** What `Cursor` gives in place of a UTF-16 code unit when nothing is left to read. */
const END = -1;

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const COLON = 0x3a;
const UPPER_E = 0x45;
const OPENING_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSING_BRACKET = 0x5d;
const LOWER_E = 0x65;
const LOWER_F = 0x66;
const LOWER_N = 0x6e;
const LOWER_T = 0x74;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
