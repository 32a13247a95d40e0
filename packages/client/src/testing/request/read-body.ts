import { parseExactJson } from '@plant-store/contract/exact-json/parse';
import { Refusal } from '../refusal.js';

/** What the service takes by default, in bytes. */
const bodyLimitBytes = 1024 * 1024;

/**
 * Reads a body as JSON in UTF-8 (RFC 8259), every integer exact.
 *
 * @throws {Refusal} for the first of these that it breaks: content type, size, JSON
 */
export function readJsonBody(headers: Headers, body: Uint8Array): unknown {
  rejectOtherContent(headers);
  if (body.length > bodyLimitBytes) {
    throw new Refusal(
      'body_too_large',
      `The body is larger than ${bodyLimitBytes} bytes. Send a smaller one.`,
    );
  }
  return parseJson(body);
}

function rejectOtherContent(headers: Headers): void {
  const type = headers.get('content-type');
  const coding = headers.get('content-encoding');
  if (type === null) throw unsupported('There is no content type');
  if (!isJsonInUtf8(type)) throw unsupported(`The content type is "${type.slice(0, 100)}"`);
  if (coding !== null && coding.toLowerCase() !== 'identity') {
    throw unsupported(`The content coding is "${coding.slice(0, 100)}"`);
  }
}

function unsupported(problem: string): Refusal {
  return new Refusal(
    'unsupported_content_type',
    `${problem}. Send application/json in UTF-8, without a content coding.`,
  );
}

/** `application/json` in any case, with any parameters, but with no other charset than UTF-8. */
function isJsonInUtf8(header: string): boolean {
  if (!/^application\/json[ \t]*(;|$)/i.test(header)) return false;
  for (const [, name = '', quoted, plain = ''] of header.matchAll(parameter)) {
    // An unterminated quoted string includes all that follows.
    if (plain.startsWith('"')) return true;
    if (name.toLowerCase() !== 'charset') continue;
    return (quoted?.replace(/\\(.)/g, '$1') ?? plain).toLowerCase() === 'utf-8';
  }
  return true;
}

/** A parameter of a media type (RFC 9110, section 5.6.6): its name, and its value with or without quotes. */
const parameter = /;[ \t]*([^;=]*?)[ \t]*=[ \t]*(?:"((?:\\.|[^"\\])*)"[^;]*|([^;]*?)[ \t]*(?=;|$))/g;

function parseJson(body: Uint8Array): unknown {
  if (body.length === 0) throw malformed('it is empty');
  const text = decode(body);
  if (text.startsWith('\uFEFF')) throw malformed('it starts with a byte order mark');
  try {
    return parseExactJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw malformed(error.message);
    throw error;
  }
}

function decode(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    throw malformed('it is not in UTF-8');
  }
}

function malformed(problem: string): Refusal {
  return new Refusal(
    'malformed_json',
    `The body is not valid JSON: ${problem.slice(0, 200).toWellFormed()}.`,
  );
}
