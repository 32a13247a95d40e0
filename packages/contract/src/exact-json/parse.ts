import { NumberLiteral, toExactDecimal, toExactInteger, toExactNumber } from './number.js';

/** How many arrays and objects may stand one within the other; RFC 8259, section 9 allows a limit. */
const maxNesting = 500;

/** What of a JSON text has a meaning: by default, of an array or an object, nothing. */
export interface JsonShape {
  /** The members of an object. */
  readonly members?: readonly { readonly name: string; readonly shape: JsonShape }[];
  /** The items of an array. */
  readonly items?: JsonShape;
  /** How many items have one. Default: all. */
  readonly maxItems?: number;
}

/**
 * Parses JSON (RFC 8259) and keeps every 64-bit integer exact: a safe one as `number`, any other as `bigint`.
 *
 * `1.0` and `1e2` are the integers 1 and 100. A number that neither an int64 nor a fraction of type `number`
 * can stand for is given as a `NumberLiteral`, which no schema takes for a number. A member named twice is
 * accepted only with an equal value, and one named `__proto__` never.
 *
 * @param shape What has no meaning by it is checked, but neither built nor compared: a member is left out, an item is `null`,
 * an array or an object is empty. Default: all is built.
 * @throws {SyntaxError} when the text is not such JSON, or is nested deeper than 500 levels; the message names
 * the position.
 */
export function parseExactJson(text: string, shape?: JsonShape): unknown {
  const cursor = new Cursor(text);
  const value = readValue(cursor, 0, shape);
  if (cursor.peekAfterSpace() !== END) throw cursor.expected('end of input');
  return value;
}

function readValue(cursor: Cursor, depth: number, shape: JsonShape | undefined): unknown {
  const code = cursor.peekAfterSpace();
  switch (code) {
    case QUOTE:
      return readString(cursor);
    case OPENING_BRACE:
      return readObject(cursor, depth + 1, shape);
    case OPENING_BRACKET:
      return readArray(cursor, depth + 1, shape);
    default:
      return isNumberStart(code) ? readNumber(cursor) : readWord(cursor, code);
  }
}

function readArray(cursor: Cursor, depth: number, shape: JsonShape | undefined): unknown[] {
  const array: unknown[] = [];
  if (shape !== undefined && shape.items === undefined) {
    skipArray(cursor, depth);
    return array;
  }
  const maxItems = shape?.maxItems ?? Infinity;
  let skipped = 0;
  if (enter(cursor, depth) !== CLOSING_BRACKET) {
    do {
      if (array.length < maxItems) {
        array.push(readValue(cursor, depth, shape?.items));
      } else {
        skipValue(cursor, depth);
        skipped++;
      }
    } while (passComma(cursor));
  }
  leave(cursor, CLOSING_BRACKET, "',' or ']'");
  if (skipped > 0) {
    array.length += skipped;
    array.fill(null, maxItems);
  }
  return array;
}

function readObject(cursor: Cursor, depth: number, shape: JsonShape | undefined): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  if (shape !== undefined && shape.members === undefined) {
    skipObject(cursor, depth);
    return object;
  }
  if (enter(cursor, depth) !== CLOSING_BRACE) {
    do readMember(cursor, depth, object, shape?.members);
    while (passComma(cursor));
  }
  leave(cursor, CLOSING_BRACE, "',' or '}'");
  return object;
}

function readMember(
  cursor: Cursor,
  depth: number,
  object: Record<string, unknown>,
  members: JsonShape['members'],
): void {
  const start = toName(cursor);
  const escaped = skipString(cursor);
  const member = members && findMember(members, cursor, start, escaped);
  const name = members ? member?.name : textOf(cursor, start, escaped);
  if (member === undefined) rejectProto(cursor, start);
  passColon(cursor);
  if (name === undefined) {
    skipValue(cursor, depth);
    return;
  }
  const value = readValue(cursor, depth, member?.shape);
  if (Object.hasOwn(object, name) && !isEqual(object[name], value)) {
    throw cursor.error(`Duplicate member '${name}' with a different value`, start);
  }
  object[name] = value;
}

/** Finds the member whose name stands from `start` to the cursor. A name without escapes is not built for that. */
function findMember(
  members: NonNullable<JsonShape['members']>,
  cursor: Cursor,
  start: number,
  escaped: boolean,
): (typeof members)[number] | undefined {
  const { text, position } = cursor;
  const length = position - start - 2;
  for (const member of members) {
    const { name } = member;
    if (
      escaped
        ? textOf(cursor, start, escaped) === name
        : name.length === length && standsAt(name, text, start + 1)
    )
      return member;
  }
  return undefined;
}

function standsAt(name: string, text: string, start: number): boolean {
  for (let at = 0; at < name.length; at++) {
    if (name.charCodeAt(at) !== text.charCodeAt(start + at)) return false;
  }
  return true;
}

/** Moves on over a value, and checks it, without building anything. */
function skipValue(cursor: Cursor, depth: number): void {
  const code = cursor.peekAfterSpace();
  switch (code) {
    case QUOTE:
      skipString(cursor);
      break;
    case OPENING_BRACE:
      skipObject(cursor, depth + 1);
      break;
    case OPENING_BRACKET:
      skipArray(cursor, depth + 1);
      break;
    default:
      if (isNumberStart(code)) skipNumber(cursor);
      else readWord(cursor, code);
  }
}

function skipArray(cursor: Cursor, depth: number): void {
  if (enter(cursor, depth) !== CLOSING_BRACKET) {
    do skipValue(cursor, depth);
    while (passComma(cursor));
  }
  leave(cursor, CLOSING_BRACKET, "',' or ']'");
}

function skipObject(cursor: Cursor, depth: number): void {
  if (enter(cursor, depth) !== CLOSING_BRACE) {
    do {
      const start = toName(cursor);
      skipString(cursor);
      rejectProto(cursor, start);
      passColon(cursor);
      skipValue(cursor, depth);
    } while (passComma(cursor));
  }
  leave(cursor, CLOSING_BRACE, "',' or '}'");
}

/** Moves on to the name of a member, and returns its position. */
function toName(cursor: Cursor): number {
  if (cursor.peekAfterSpace() !== QUOTE) throw cursor.expected('a name in double quotes');
  return cursor.position;
}

/** Rejects a member that, assigned, would become the prototype of the object. */
function rejectProto(cursor: Cursor, start: number): void {
  const first = cursor.text.charCodeAt(start + 1);
  if (first !== UNDERSCORE && first !== BACKSLASH) return;
  proto.lastIndex = start;
  if (proto.test(cursor.text)) throw cursor.error("Forbidden member '__proto__'", start);
}

/** The name `__proto__`, however it is spelled. */
const proto =
  /"(?:_|\\u005[Ff]){2}(?:p|\\u0070)(?:r|\\u0072)(?:o|\\u006[Ff])(?:t|\\u0074)(?:o|\\u006[Ff])(?:_|\\u005[Ff]){2}"/y;

function passColon(cursor: Cursor): void {
  if (cursor.peekAfterSpace() !== COLON) throw cursor.expected("':'");
  cursor.position++;
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

function readWord(cursor: Cursor, first: number): boolean | null {
  switch (first) {
    case LOWER_T:
      passWord(cursor, 'true');
      return true;
    case LOWER_F:
      passWord(cursor, 'false');
      return false;
    case LOWER_N:
      passWord(cursor, 'null');
      return null;
    default:
      throw cursor.expected('a value');
  }
}

function passWord(cursor: Cursor, word: string): void {
  if (!cursor.text.startsWith(word, cursor.position)) throw cursor.expected('a value');
  cursor.position += word.length;
}

/** Reads the string whose opening quote is at the cursor, and moves the cursor behind it. An unpaired surrogate is kept. */
function readString(cursor: Cursor): string {
  const start = cursor.position;
  return textOf(cursor, start, skipString(cursor));
}

/** What the valid string from `start` to the cursor, quotes included, stands for. */
function textOf({ text, position }: Cursor, start: number, escaped: boolean): string {
  return escaped ? JSON.parse(text.slice(start, position)) : text.slice(start + 1, position - 1);
}

/**
 * Moves on over a string (RFC 8259, section 7) whose opening quote is at the cursor, and returns whether it has escapes.
 *
 * @throws {SyntaxError} when it does not end, or has an unknown escape or an unescaped control character
 */
function skipString(cursor: Cursor): boolean {
  const { text, position: start } = cursor;
  let escaped = false;
  let end = start + 1;
  while (end < text.length) {
    const code = text.charCodeAt(end);
    if (code === QUOTE) {
      cursor.position = end + 1;
      return escaped;
    }
    if (code < SPACE) throw cursor.error('Bare control character in a string', end);
    if (code === BACKSLASH) {
      if (!isEscape(text, end)) throw cursor.error('Unknown escape in a string', end);
      escaped = true;
      end++;
    }
    end++;
  }
  cursor.position = text.length;
  throw cursor.expected("a closing '\"'");
}

/** Whether the backslash at a position begins an escape, or ends the text. */
function isEscape(text: string, position: number): boolean {
  const letter = text.charAt(position + 1);
  if (letter !== 'u') return '"\\/bfnrt'.includes(letter);
  for (let at = position + 2; at < position + 6; at++) {
    if (!isHexDigit(text.charCodeAt(at))) return false;
  }
  return true;
}

function isHexDigit(code: number): boolean {
  const lower = code | 0x20;
  return isDigit(code) || (lower >= LOWER_A && lower <= LOWER_F);
}

function isNumberStart(code: number): boolean {
  return code === MINUS || isDigit(code);
}

/** Reads the number that starts at the cursor, and moves the cursor behind it. */
function readNumber(cursor: Cursor): number | bigint | NumberLiteral {
  const start = cursor.position;
  const toValue = skipNumber(cursor);
  return toValue(cursor.text.slice(start, cursor.position));
}

/**
 * Moves on over a number (RFC 8259, section 6) that starts at the cursor, and returns what reads its value.
 *
 * @throws {SyntaxError} where a digit is missing
 */
function skipNumber(cursor: Cursor): typeof toExactNumber {
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
  if (hasExponent) return toExactNumber;
  return hasFraction ? toExactDecimal : toExactInteger;
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
const UNDERSCORE = 0x5f;
const LOWER_A = 0x61;
const LOWER_E = 0x65;
const LOWER_F = 0x66;
const LOWER_N = 0x6e;
const LOWER_T = 0x74;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
