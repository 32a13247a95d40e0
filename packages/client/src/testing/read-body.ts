import { type JsonShape, parseExactJson } from '@plant-store/contract/exact-json/parse';
import { messages } from '@plant-store/contract/messages';
import { ServiceError } from './reply.js';

/** What the service takes by default, in bytes. */
const bodyLimitBytes = 1024 * 1024;

/**
 * Reads a body as JSON in UTF-8 (RFC 8259), every integer exact.
 *
 * @param shape what of the body is read
 * @throws {ServiceError} for the first of these that it breaks: content type, size, JSON
 */
export function readJsonBody(headers: Headers, body: Uint8Array, shape: JsonShape): unknown {
  rejectOtherContent(headers);
  if (body.length > bodyLimitBytes) {
    throw new ServiceError('body_too_large', messages.bodyTooLarge(bodyLimitBytes));
  }
  return parseJson(body, shape);
}

function rejectOtherContent(headers: Headers): void {
  const type = headers.get('content-type');
  const coding = headers.get('content-encoding');
  if (type === null) throw unsupported(messages.missingContentType);
  if (!isJsonInUtf8(type)) throw unsupported(messages.unsupportedContentType(type));
  if (coding !== null && coding.toLowerCase() !== 'identity') {
    throw unsupported(messages.unsupportedContentCoding(coding));
  }
}

function unsupported(message: string): ServiceError {
  return new ServiceError('unsupported_content_type', message);
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

function parseJson(body: Uint8Array, shape: JsonShape): unknown {
  if (body.length === 0) throw malformed('it is empty');
  const text = decode(body);
  if (text.startsWith('\uFEFF')) throw malformed('it starts with a byte order mark');
  try {
    return parseExactJson(text, shape);
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

function malformed(problem: string): ServiceError {
  return new ServiceError('malformed_json', messages.malformedJson(problem.slice(0, 200).toWellFormed()));
}
