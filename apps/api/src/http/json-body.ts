import type { IncomingHttpHeaders } from 'node:http';
import { messages } from '@plant-store/contract/messages';
import { parse as parseContentType } from 'content-type';
import type { RequestHandler } from 'express';
import { ServiceError } from '../errors/service-error.js';
import { parseJsonBytes } from './parse-json-bytes.js';
import type { BodyBudget } from './read-body.js';
import { readBody } from './read-body.js';
import { callerOf } from './request-context.js';

/**
 * Reads the body as JSON in UTF-8 (RFC 8259), every integer exact, up to a limit in bytes. Comes after authentication.
 *
 * @param budget limits the memory of all bodies together
 */
export function jsonBody(limitBytes: number, budget: BodyBudget): RequestHandler {
  return function jsonBody(request, response, next) {
    requireJson(request.headers);
    // With callbacks, since a promise would cost each request.
    readBody(request, response, {
      limitBytes,
      budget,
      holder: callerOf(response.locals),
      onBody(bytes) {
        try {
          request.body = parseJson(bytes);
        } catch (error) {
          next(error);
          return;
        }
        next();
      },
      onError: next,
    });
  };
}

function requireJson(headers: IncomingHttpHeaders): void {
  const type = headers['content-type'];
  const coding = headers['content-encoding'];
  if (type !== 'application/json' && !isJsonInUtf8(type)) {
    throw unsupported(
      type === undefined ? messages.missingContentType : messages.unsupportedContentType(type),
    );
  }
  if (coding !== undefined && coding.toLowerCase() !== 'identity')
    throw unsupported(messages.unsupportedContentCoding(coding));
}

function unsupported(message: string): ServiceError {
  return new ServiceError('unsupported_content_type', message);
}

/** Whether it is `application/json`, case-insensitive, with any parameters but no other charset than UTF-8. */
function isJsonInUtf8(header = ''): boolean {
  const { type, parameters } = parseContentType(header);
  const charset = parameters['charset'] ?? 'utf-8';
  return type.toLowerCase() === 'application/json' && charset.toLowerCase() === 'utf-8';
}

function parseJson(body: Buffer): unknown {
  try {
    return parseJsonBytes(body);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ServiceError('malformed_json', messages.malformedJson(error.message), { cause: error });
  }
}
