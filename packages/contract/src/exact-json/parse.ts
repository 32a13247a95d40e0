import {
  CLOSING_BRACE,
  CLOSING_BRACKET,
  COLON,
  COMMA,
  DIGIT_0,
  DIGIT_9,
  END,
  LOWER_F,
  LOWER_N,
  LOWER_T,
  MINUS,
  OPENING_BRACE,
  OPENING_BRACKET,
  QUOTE,
} from './code-units.js';
import { Cursor } from './cursor.js';
import { isEqual } from './is-equal.js';
import { readNumber } from './number.js';
import { readString } from './string.js';

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
