import { BACKSLASH, QUOTE, SPACE } from './code-units.js';
import type { Cursor } from './cursor.js';

/**
 * Reads the string (RFC 8259, section 7) whose opening quote is at the cursor, and moves the cursor behind it. An
 * unpaired surrogate is kept.
 *
 * @throws {SyntaxError} when it does not end, or has an unknown escape or an unescaped control character
 */
export function readString(cursor: Cursor): string {
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
