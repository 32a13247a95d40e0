import { type JsonShape, parseExactJson } from '@plant-store/contract/exact-json/parse';
import {
  type BodySubject,
  explainInvalid,
  messages,
  type RequestIssues,
} from '@plant-store/contract/messages';
import { ServiceError } from './errors.js';

// Checks of a request before its operation runs, on any platform.

/**
 * Returns the token in an `Authorization` header (RFC 6750, section 2.1), or `undefined` if the header is absent or has another scheme. The
 * scheme is case-insensitive.
 */
export const readBearer = (authorization = ''): string | undefined =>
  /^Bearer +(\S.*)$/i.exec(authorization)?.[1];

/**
 * Returns the error for a request without a valid token. The challenge names an error only when a token was sent (RFC 6750, section 3.1).
 */
export const unauthorized = (errorName: 'missing_token' | 'invalid_token', message: string): ServiceError =>
  challenge(errorName, message, errorName === 'invalid_token' ? ', error="invalid_token"' : '');

/**
 * Returns the error for a token without the required scope.
 *
 * @param scope the required scope, as the token issuer names it
 */
export const insufficientScope = (scope: string): ServiceError =>
  challenge(
    'insufficient_scope',
    messages.missingScope(scope),
    `, error="insufficient_scope", scope="${scope}"`,
  );

const challenge = (
  errorName: 'missing_token' | 'invalid_token' | 'insufficient_scope',
  message: string,
  parameters: string,
) =>
  new ServiceError(errorName, message, {
    headers: { 'WWW-Authenticate': `Bearer realm="plant-store"${parameters}` },
  });

/** Returns the error for a method that the path does not support. `Allow` names the supported methods (RFC 9110, section 15.5.6). */
export const methodNotAllowed = (method: string, path: string, allowed: readonly string[]): ServiceError =>
  new ServiceError('method_not_allowed', messages.methodNotAllowed(method, path, allowed), {
    headers: { Allow: allowed.join(', ') },
  });

/**
 * Checks the content type and the content coding of a body.
 *
 * @throws {ServiceError} `unsupported_content_type` unless it is JSON in UTF-8, without a content coding
 */
export function requireJson(type: string | null | undefined, coding: string | null | undefined): void {
  if (type == null) throw unsupported(messages.missingContentType);
  if (!isJsonInUtf8(type)) throw unsupported(messages.unsupportedContentType(type));
  if (coding != null && coding.toLowerCase() !== 'identity')
    throw unsupported(messages.unsupportedContentCoding(coding));
}

const unsupported = (message: string) => new ServiceError('unsupported_content_type', message);

/** Accepts `application/json` in any case, with any parameters (RFC 9110, section 5.6.6), except for a charset other than UTF-8. */
function isJsonInUtf8(type: string): boolean {
  if (!/^application\/json[ \t]*(;|$)/i.test(type)) return false;
  const charsets = parametersOf(type).flatMap(
    (parameter) => /^[ \t]*charset[ \t]*=(.*)$/i.exec(parameter)?.[1] ?? [],
  );
  return (charsets[0] ?? 'utf-8').trim().toLowerCase() === 'utf-8';
}

/** Returns the parameters of a content type, without quotes. A quoted string that does not end is left out. */
function parametersOf(type: string): readonly string[] {
  const parts = [''];
  let isQuoted = false;
  for (let index = 0; index < type.length; index++) {
    const character = type.charAt(index);
    const last = parts.length - 1;
    if (character === '"') isQuoted = !isQuoted;
    else if (character === ';' && !isQuoted) parts.push('');
    else parts[last] += isQuoted && character === '\\' ? type.charAt(++index) : character;
  }
  return parts.slice(1, isQuoted ? -1 : undefined);
}

/** The maximum length of the parser's message, which can quote the text, in UTF-16 code units. */
const maxMessageLength = 200;

/**
 * Parses JSON (RFC 8259) with exact integers.
 *
 * @param shape which members to read
 * @throws {SyntaxError} with a short message. The message can quote the text, so it can contain any character.
 */
export function parseJsonText(text: string, shape: JsonShape): unknown {
  if (text === '') throw new SyntaxError('it is empty');
  if (text.startsWith('\uFEFF')) throw new SyntaxError('it starts with a byte order mark');
  try {
    return parseExactJson(text, shape);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new SyntaxError(error.message.slice(0, maxMessageLength).toWellFormed(), { cause: error });
  }
}

export const malformedJson = (cause: SyntaxError): ServiceError =>
  new ServiceError('malformed_json', messages.malformedJson(cause.message), { cause });

export const bodyTooLarge = (limitBytes: number): ServiceError =>
  new ServiceError('body_too_large', messages.bodyTooLarge(limitBytes));

/** Returns the error for a request that does not match its schemas. */
export function invalidRequest(issues: RequestIssues, subject: BodySubject): ServiceError {
  const { errorName, message } = explainInvalid(issues, subject);
  return new ServiceError(errorName, message);
}

/** Whether a caller's `X-Request-Id` is valid: short, and safe to print anywhere. A valid one can still be an access token. */
export const isRequestId = (id: string): boolean => /^[\w.:-]{1,64}$/.test(id);
