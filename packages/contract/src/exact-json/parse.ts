import { type NumberLiteral, toExactInteger, toExactNumber } from './number.js';

/** The maximum nesting of arrays and objects; RFC 8259, section 9 allows a limit. */
const maxNesting = 500;

/** Which parts of a JSON text are used. By default no members of an object and no items of an array. */
export interface JsonShape {
  /** The members of an object. */
  readonly members?: readonly { readonly name: string; readonly shape: JsonShape }[];
  /** The items of an array. */
  readonly items?: JsonShape;
  /** How many items are used. Default: all. */
  readonly maxItems?: number;
}

/** The shape of a value that is checked, but not built. */
const skipped: JsonShape = {};

/** Placeholders for skipped values, so that these take no memory. */
const [none, noMembers] = [[], {}];

/**
 * Parses JSON (RFC 8259) and keeps every 64-bit integer exact: a safe one as `number`, any other as `bigint`.
 *
 * `1.0` and `1e2` are the integers 1 and 100. A number that neither an int64 nor a fractional `number` can represent becomes a
 * `NumberLiteral`, which no schema accepts as a number. A member named twice is accepted only with an equal value, and one named
 * `__proto__` never.
 *
 * @param shape Which parts to build. All other parts are checked, but neither built nor compared: a member is left out, an item is `null`,
 * an array or an object is empty. Default: everything is built.
 * @throws {SyntaxError} when the text is not such JSON, or is nested deeper than 500 levels; the message names
 * the position.
 */
export function parseExactJson(text: string, shape?: JsonShape): unknown {
  const cursor = new Cursor(text);
  const value = readValue(cursor, 0, shape);
  if (cursor.peekAfterSpace() !== '') throw cursor.expected('end of input');
  return value;
}

function readValue(cursor: Cursor, depth: number, shape: JsonShape | undefined): unknown {
  const next = cursor.peekAfterSpace();
  switch (next) {
    case '"': {
      const start = cursor.position;
      const escaped = skipString(cursor);
      return shape === skipped ? null : textOf(cursor, start, escaped);
    }
    case '{':
      return readObject(cursor, depth + 1, shape);
    case '[':
      return readArray(cursor, depth + 1, shape);
    case 't':
      return passWord(cursor, 'true', true);
    case 'f':
      return passWord(cursor, 'false', false);
    case 'n':
      return passWord(cursor, 'null', null);
    default:
      if (next !== '-' && !(next >= '0' && next <= '9')) throw cursor.expected('a value');
      return readNumber(cursor, shape);
  }
}

function readArray(cursor: Cursor, depth: number, shape: JsonShape | undefined): unknown {
  const items = shape === undefined ? undefined : (shape.items ?? skipped);
  const maxItems = shape?.maxItems ?? Infinity;
  const array: unknown[] = shape === skipped ? none : [];
  if (enter(cursor, depth) !== ']') {
    do {
      const isRead = array.length < maxItems;
      const item = readValue(cursor, depth, isRead ? items : skipped);
      if (items !== skipped) array.push(isRead ? item : null);
    } while (passComma(cursor));
  }
  leave(cursor, ']');
  return array;
}

function readObject(cursor: Cursor, depth: number, shape: JsonShape | undefined): unknown {
  const object: Record<string, unknown> = shape === skipped ? noMembers : {};
  if (enter(cursor, depth) !== '}') {
    do readMember(cursor, depth, object, shape);
    while (passComma(cursor));
  }
  leave(cursor, '}');
  return object;
}

function readMember(
  cursor: Cursor,
  depth: number,
  object: Record<string, unknown>,
  shape: JsonShape | undefined,
): void {
  if (cursor.peekAfterSpace() !== '"') throw cursor.expected('a name in double quotes');
  const start = cursor.position;
  const escaped = skipString(cursor);
  const member = shape?.members && findMember(shape.members, cursor, start, escaped);
  const name = shape === undefined ? textOf(cursor, start, escaped) : member?.name;
  if (member === undefined) rejectProto(cursor, start);
  if (cursor.peekAfterSpace() !== ':') throw cursor.expected("':'");
  cursor.position++;
  const value = readValue(cursor, depth, shape === undefined ? undefined : (member?.shape ?? skipped));
  if (name === undefined) return;
  if (Object.hasOwn(object, name) && !isEqual(object[name], value)) {
    throw cursor.error(`Duplicate member '${name}' with a different value`, start);
  }
  object[name] = value;
}

/** Finds the member whose name is between `start` and the cursor. Does not build a name without escapes. */
function findMember(
  members: NonNullable<JsonShape['members']>,
  cursor: Cursor,
  start: number,
  escaped: boolean,
): (typeof members)[number] | undefined {
  const { text, position } = cursor;
  for (const member of members) {
    const { name } = member;
    if (
      escaped
        ? textOf(cursor, start, escaped) === name
        : name.length === position - start - 2 && standsAt(name, text, start + 1)
    )
      return member;
  }
  return undefined;
}

/** As `startsWith`, in less time for a short name. */
function standsAt(name: string, text: string, start: number): boolean {
  for (let at = 0; at < name.length; at++) {
    if (name.charCodeAt(at) !== text.charCodeAt(start + at)) return false;
  }
  return true;
}

/** Rejects a member that, assigned, would become the prototype of the object. */
function rejectProto(cursor: Cursor, start: number): void {
  const first = cursor.text.charAt(start + 1);
  if (first !== '_' && first !== '\\') return;
  proto.lastIndex = start;
  if (proto.test(cursor.text)) throw cursor.error("Forbidden member '__proto__'", start);
}

/** The name `__proto__`, however it is spelled. */
const proto =
  /"(?:_|\\u005[Ff]){2}(?:p|\\u0070)(?:r|\\u0072)(?:o|\\u006[Ff])(?:t|\\u0074)(?:o|\\u006[Ff])(?:_|\\u005[Ff]){2}"/y;

/** Moves past an opening bracket or brace, and returns the next character after white space. */
function enter(cursor: Cursor, depth: number): string {
  if (depth > maxNesting) throw cursor.error('Nested too deeply');
  cursor.position++;
  return cursor.peekAfterSpace();
}

function passComma(cursor: Cursor): boolean {
  const isComma = cursor.peekAfterSpace() === ',';
  if (isComma) cursor.position++;
  return isComma;
}

function leave(cursor: Cursor, closing: ']' | '}'): void {
  if (cursor.peek() !== closing) throw cursor.expected(`',' or '${closing}'`);
  cursor.position++;
}

function passWord<Value>(cursor: Cursor, word: string, value: Value): Value {
  if (!cursor.text.startsWith(word, cursor.position)) throw cursor.expected('a value');
  cursor.position += word.length;
  return value;
}

/** The value of the valid string between `start` and the cursor, including its quotes. An unpaired surrogate is kept. */
function textOf({ text, position }: Cursor, start: number, escaped: boolean): string {
  return escaped ? JSON.parse(text.slice(start, position)) : text.slice(start + 1, position - 1);
}

/**
 * Moves past a string (RFC 8259, section 7) whose opening quote is at the cursor, and returns whether it has escapes.
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
  if ('"\\/bfnrt'.includes(text.charAt(position + 1))) return true;
  codeUnit.lastIndex = position;
  return codeUnit.test(text);
}

const codeUnit = /\\u[\dA-Fa-f]{4}/y;

/** Reads a number (RFC 8259, section 6) that starts at the cursor, and moves the cursor behind it. */
function readNumber(cursor: Cursor, shape: JsonShape | undefined): number | bigint | NumberLiteral | null {
  const start = cursor.position;
  if (cursor.peek() === '-') cursor.position++;
  // A leading zero is the whole integer part.
  if (cursor.peek() === '0') cursor.position++;
  else skipDigits(cursor);
  let toValue = toExactInteger;
  if (cursor.peek() === '.') {
    cursor.position++;
    skipDigits(cursor);
    toValue = toExactNumber;
  }
  const next = cursor.peek();
  if (next === 'e' || next === 'E') {
    cursor.position++;
    const sign = cursor.peek();
    if (sign === '+' || sign === '-') cursor.position++;
    skipDigits(cursor);
    toValue = toExactNumber;
  }
  return shape === skipped ? null : toValue(cursor.text.slice(start, cursor.position));
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
 * Whether two values from `parseExactJson` are equal: of one type, arrays with equal items in the same order, objects with equal members in
 * any order, numbers kept as written with the same text.
 */
function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!isObject(a) || !isObject(b) || Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  const members = Object.entries(a);
  return (
    members.length === Object.keys(b).length &&
    members.every(([name, value]) => Object.hasOwn(b, name) && isEqual(value, b[name]))
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** A JSON text and the position up to which it is read, in UTF-16 code units. */
class Cursor {
  readonly text: string;
  position = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** The code unit at the position; empty at the end. */
  peek(): string {
    return this.text.charAt(this.position);
  }

  /** Skips white space and returns the result of `peek`. */
  peekAfterSpace(): string {
    while (this.position < this.text.length && isSpace(this.text.charCodeAt(this.position))) this.position++;
    return this.peek();
  }

  /** The error for a text that does not follow the grammar at the position, where `expected` belongs. */
  expected(expected: string): SyntaxError {
    const next = this.text.codePointAt(this.position);
    const found = next === undefined ? 'reached end of input' : `got '${String.fromCodePoint(next)}'`;
    return this.error(`Expected ${expected} but ${found}`);
  }

  /** A syntax error at the current or the given position. */
  error(problem: string, position = this.position): SyntaxError {
    return new SyntaxError(`${problem} at position ${position}`);
  }
}

/** White space (RFC 8259, section 2). */
function isSpace(code: number): boolean {
  return code === SPACE || code === LINE_FEED || code === CARRIAGE_RETURN || code === TAB;
}

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const BACKSLASH = 0x5c;
