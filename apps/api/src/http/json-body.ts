import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { parseExactJson } from '@plant-store/contract/exact-json/parse';
import { parse as parseContentType } from 'content-type';
import type { RequestHandler } from 'express';
import { ServiceError } from '../service-error.js';
import { readBody } from './read-body.js';

/** Reads the body as JSON in UTF-8 (RFC 8259), every integer exact, up to a limit in bytes. */
export function jsonBody(limitBytes: number): RequestHandler {
  return async function jsonBody(request, _response, next) {
    refuseOtherContent(request.headers);
    request.body = parseJson(await readBody(request, limitBytes));
    next();
  };
}

function refuseOtherContent(headers: IncomingHttpHeaders): void {
  const type = headers['content-type'];
  const coding = headers['content-encoding'];
  if (type !== 'application/json' && !isJsonInUtf8(type)) {
    throw unsupported(
      type === undefined ? 'There is no content type' : `The content type is "${type.slice(0, 100)}"`,
    );
  }
  if (coding !== undefined && coding.toLowerCase() !== 'identity')
    throw unsupported(`The content coding is "${coding.slice(0, 100)}"`);
}

function unsupported(fault: string): ServiceError {
  return new ServiceError(
    'unsupported_content_type',
    `${fault}. Send application/json in UTF-8, without a content coding.`,
  );
}

/** `application/json` in any case, with any parameters, but with no other charset than UTF-8. */
function isJsonInUtf8(header = ''): boolean {
  const { type, parameters } = parseContentType(header);
  const charset = parameters['charset'] ?? 'utf-8';
  return type.toLowerCase() === 'application/json' && charset.toLowerCase() === 'utf-8';
}

function parseJson(body: Buffer): unknown {
  if (body.length === 0) throw malformed('it is empty');
  if (!isUtf8(body)) throw malformed('it is not in UTF-8');
  const text = body.toString('utf8');
  if (text.startsWith('\uFEFF')) throw malformed('it starts with a byte order mark');
  try {
    return parseExactJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw malformed(error.message, error);
    throw error;
  }
}

function malformed(fault: string, cause?: unknown): ServiceError {
  return new ServiceError(
    'malformed_json',
    `The body is not valid JSON: ${fault.slice(0, 200).toWellFormed()}.`,
    {
      cause,
    },
  );
}
