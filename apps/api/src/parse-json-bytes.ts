import { isUtf8 } from 'node:buffer';
import { parseExactJson } from '@plant-store/contract/exact-json/parse';

/** How much of what a text holds may stand in the message about it, in UTF-16 code units. */
const longestFault = 200;

/**
 * Parses JSON in UTF-8 (RFC 8259), every integer exact.
 *
 * @throws {SyntaxError} that says in a few words what is wrong, such as `it is not in UTF-8`; the text itself chooses
 * some of them, so they may hold any character
 */
export function parseJsonBytes(bytes: Buffer): unknown {
  if (bytes.length === 0) throw new SyntaxError('it is empty');
  if (!isUtf8(bytes)) throw new SyntaxError('it is not in UTF-8');
  const text = bytes.toString('utf8');
  if (text.startsWith('\uFEFF')) throw new SyntaxError('it starts with a byte order mark');
  try {
    return parseExactJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new SyntaxError(error.message.slice(0, longestFault).toWellFormed(), { cause: error });
  }
}
