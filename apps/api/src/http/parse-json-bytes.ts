import { isUtf8 } from 'node:buffer';
import { parseExactJson } from '@plant-store/contract/exact-json/parse';

/** The longest message about a text, which may quote from it, in UTF-16 code units. */
const maxMessageLength = 200;

/**
 * Parses JSON in UTF-8 (RFC 8259), every integer exact.
 *
 * @throws {SyntaxError} with a short message, such as `it is not in UTF-8`. It may quote the text, and so contain any
 * character.
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
    throw new SyntaxError(error.message.slice(0, maxMessageLength).toWellFormed(), { cause: error });
  }
}
