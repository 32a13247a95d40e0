import { type NumberLiteral, toExactNumber } from '../int64.js';

/** The maximum nesting of arrays and objects. RFC 8259, section 9 allows a limit. */
const maxNesting = 500;

/** The parts of a JSON text to build. Default: no members of an object, and no items of an array. */
export interface JsonShape {
  readonly members?: readonly { readonly name: string; readonly shape: JsonShape }[];
  readonly items?: JsonShape;
  /** How many items to build. Default: all. */
  readonly maxItems?: number;
}

/** The shape of a value that is validated but not built. */
const skipped: JsonShape = {};

// Shared by all skipped arrays and objects, so that skipping them takes no memory.
const skippedArray: unknown[] = [];
const skippedObject: Record<string, unknown> = {};

/**
 * Parses JSON (RFC 8259) and keeps every 64-bit integer exact: a safe integer as `number`, any other as `bigint`.
 *
 * `1.0` and `1e2` are the integers 1 and 100. A number that neither an int64 nor a fractional `number` can represent becomes a
 * `NumberLiteral`, which no schema accepts as a number. A duplicate member is accepted only with an equal value, and a member named
 * `__proto__` is never accepted.
 *
 * @param shape Which parts to build. All other parts are validated, but neither built nor compared: a member is omitted, an item is `null`,
 * and an array or an object is empty. Default: everything is built.
 * @throws {SyntaxError} when the text is not accepted, or is nested deeper than 500 levels. The message names the position.
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
      return readLiteral(cursor, 'true', true);
    case 'f':
      return readLiteral(cursor, 'false', false);
    case 'n':
      return readLiteral(cursor, 'null', null);
    default:
      if (next !== '-' && !(next >= '0' && next <= '9')) throw cursor.expected('a value');
      return readNumber(cursor, shape);
  }
}

function readArray(cursor: Cursor, depth: number, shape: JsonShape | undefined): unknown {
  const items = shape === undefined ? undefined : (shape.items ?? skipped);
  const maxItems = shape?.maxItems ?? Infinity;
  const array: unknown[] = shape === skipped ? skippedArray : [];
  if (!enter(cursor, depth, ']')) return array;
  do {
    const isRead = array.length < maxItems;
    const item = readValue(cursor, depth, isRead ? items : skipped);
    if (items !== skipped) array.push(isRead ? item : null);
  } while (skipComma(cursor, ']'));
  return array;
}

function readObject(cursor: Cursor, depth: number, shape: JsonShape | undefined): unknown {
  const object: Record<string, unknown> = shape === skipped ? skippedObject : {};
  if (!enter(cursor, depth, '}')) return object;
  do {
    if (cursor.peekAfterSpace() !== '"') throw cursor.expected('a name in double quotes');
    const start = cursor.position;
    const escaped = skipString(cursor);
    const member = shape?.members && findMember(shape.members, cursor, start, escaped);
    const name = shape === undefined ? textOf(cursor, start, escaped) : member?.name;
    if (member === undefined) rejectProto(cursor, start);
    if (cursor.peekAfterSpace() !== ':') throw cursor.expected("':'");
    cursor.position++;
    const value = readValue(cursor, depth, shape === undefined ? undefined : (member?.shape ?? skipped));
    if (name === undefined) continue;
    if (Object.hasOwn(object, name) && !isEqual(object[name], value)) {
      throw cursor.error(`Duplicate member '${name}' with a different value`, start);
    }
    object[name] = value;
  } while (skipComma(cursor, '}'));
  return object;
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
        : name.length === position - start - 2 && text.startsWith(name, start + 1)
    )
      return member;
  }
  return undefined;
}

/** Rejects the member `__proto__`. Assigning it would set the prototype of the object. */
function rejectProto(cursor: Cursor, start: number): void {
  const first = cursor.text.charAt(start + 1);
  if (first !== '_' && first !== '\\') return;
  proto.lastIndex = start;
  if (proto.test(cursor.text)) throw cursor.error("Forbidden member '__proto__'", start);
}

/** The name `__proto__`, with or without escapes. */
const proto =
  /"(?:_|\\u005[Ff]){2}(?:p|\\u0070)(?:r|\\u0072)(?:o|\\u006[Ff])(?:t|\\u0074)(?:o|\\u006[Ff])(?:_|\\u005[Ff]){2}"/y;

/** Moves past an opening bracket or brace. Returns whether an item follows; if none does, also moves past the closing one. */
function enter(cursor: Cursor, depth: number, closing: ']' | '}'): boolean {
  if (depth > maxNesting) throw cursor.error('Nested too deeply');
  cursor.position++;
  if (cursor.peekAfterSpace() !== closing) return true;
  cursor.position++;
  return false;
}

/** Moves past the comma after an item, or the closing bracket or brace. Returns whether it was a comma. */
function skipComma(cursor: Cursor, closing: ']' | '}'): boolean {
  const next = cursor.peekAfterSpace();
  if (next !== ',' && next !== closing) throw cursor.expected(`',' or '${closing}'`);
  cursor.position++;
  return next === ',';
}

function readLiteral<Value>(cursor: Cursor, literal: string, value: Value): Value {
  if (!cursor.text.startsWith(literal, cursor.position)) throw cursor.expected('a value');
  cursor.position += literal.length;
  return value;
}

/** Returns the value of the valid string between `start` and the cursor, including its quotes. Keeps unpaired surrogates. */
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

/** Whether the backslash at a position begins a valid escape, or ends the text. */
function isEscape(text: string, position: number): boolean {
  if ('"\\/bfnrt'.includes(text.charAt(position + 1))) return true;
  codeUnit.lastIndex = position;
  return codeUnit.test(text);
}

const codeUnit = /\\u[\dA-Fa-f]{4}/y;

/** Reads the number (RFC 8259, section 6) that starts at the cursor, and moves past it. */
function readNumber(cursor: Cursor, shape: JsonShape | undefined): number | bigint | NumberLiteral | null {
  const start = cursor.position;
  if (cursor.peek() === '-') cursor.position++;
  // A leading zero cannot be followed by another digit.
  if (cursor.peek() === '0') cursor.position++;
  else skipDigits(cursor);
  if (cursor.peek() === '.') {
    cursor.position++;
    skipDigits(cursor);
  }
  const next = cursor.peek();
  if (next === 'e' || next === 'E') {
    cursor.position++;
    const sign = cursor.peek();
    if (sign === '+' || sign === '-') cursor.position++;
    skipDigits(cursor);
  }
  return shape === skipped ? null : toExactNumber(cursor.text.slice(start, cursor.position));
}

function skipDigits(cursor: Cursor): void {
  const { text, position: start } = cursor;
  let end = start;
  while (text.charCodeAt(end) >= DIGIT_0 && text.charCodeAt(end) <= DIGIT_9) end++;
  cursor.position = end;
  if (end === start) throw cursor.expected('a digit');
}

/**
 * Whether two values from `parseExactJson` are equal. Arrays must have equal items in the same order, objects equal members in any order,
 * and instances of `NumberLiteral` the same text.
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

/** A JSON text and the current position in it, in UTF-16 code units. */
class Cursor {
  readonly text: string;
  position = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** Returns the code unit at the position, or an empty string at the end. */
  peek(): string {
    return this.text.charAt(this.position);
  }

  /** Skips white space (RFC 8259, section 2) and returns the result of `peek`. */
  peekAfterSpace(): string {
    let next = this.peek();
    while (next === ' ' || next === '\n' || next === '\r' || next === '\t') {
      this.position++;
      next = this.peek();
    }
    return next;
  }

  /** Returns the error for a text that does not have what was expected at the position. */
  expected(expected: string): SyntaxError {
    const next = this.text.codePointAt(this.position);
    const found = next === undefined ? 'reached end of input' : `got '${String.fromCodePoint(next)}'`;
    return this.error(`Expected ${expected} but ${found}`);
  }

  error(problem: string, position = this.position): SyntaxError {
    return new SyntaxError(`${problem} at position ${position}`);
  }
}

const SPACE = 0x20;
const QUOTE = 0x22;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const BACKSLASH = 0x5c;
