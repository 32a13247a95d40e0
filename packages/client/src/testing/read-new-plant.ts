import { NewPlantSchema } from '@plant-store/contract';
import { parseExactJson } from '@plant-store/contract/exact-json/parse';
import { formatIssues } from '@plant-store/contract/format-issues';
import type { NewPlant } from '@plant-store/contract/operations';
import { Refusal } from './refusal.js';

/** What the service takes by default, in bytes. */
const bodyLimitBytes = 1024 * 1024;

/**
 * Reads a body as a NewPlant: JSON in UTF-8 (RFC 8259), every integer exact.
 *
 * @throws {Refusal} for the first of these that it breaks: content type, size, JSON, shape
 */
export function readNewPlant(headers: Headers, body: Uint8Array): NewPlant {
  refuseOtherContent(headers);
  if (body.length > bodyLimitBytes) {
    throw new Refusal(
      'body_too_large',
      `The body is larger than ${bodyLimitBytes} bytes. Send a smaller one.`,
    );
  }
  const { data, error } = NewPlantSchema.safeParse(parseJson(body));
  if (error === undefined) return data;
  throw new Refusal('invalid_plant', `The plant is not valid: ${formatIssues(error.issues)}.`);
}

function refuseOtherContent(headers: Headers): void {
  const type = headers.get('content-type');
  const coding = headers.get('content-encoding');
  if (type === null) throw unsupported('There is no content type');
  if (!isJsonInUtf8(type)) throw unsupported(`The content type is "${type.slice(0, 100)}"`);
  if (coding !== null && coding.toLowerCase() !== 'identity') {
    throw unsupported(`The content coding is "${coding.slice(0, 100)}"`);
  }
}

function unsupported(fault: string): Refusal {
  return new Refusal(
    'unsupported_content_type',
    `${fault}. Send application/json in UTF-8, without a content coding.`,
  );
}

/** `application/json` in any case, with any parameters, but with no other charset than UTF-8. */
function isJsonInUtf8(header: string): boolean {
  if (!/^application\/json[ \t]*(;|$)/i.test(header)) return false;
  for (const [, name = '', quoted, plain = ''] of header.matchAll(parameter)) {
    // A quotation that does not end takes all that follows with it.
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

function malformed(fault: string): Refusal {
  return new Refusal('malformed_json', `The body is not valid JSON: ${fault.slice(0, 200).toWellFormed()}.`);
}
