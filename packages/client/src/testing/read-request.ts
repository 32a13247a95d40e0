import { contract, jsonShapeOf, type Metadata, subjectOfOperation } from '@plant-store/contract';
import type { Conditions } from '@plant-store/contract/conditions';
import { type JsonShape, parseExactJson } from '@plant-store/contract/exact-json/parse';
import { explainInvalid, messages } from '@plant-store/contract/messages';
import type { ChangeQuery } from '@plant-store/contract/operations';
import {
  allowedMethods,
  type MatchedOperation,
  matchPath,
  parseQuery,
} from '@plant-store/contract/request-target';
import type { routes } from '@plant-store/contract/routes';
import { type RecordQuery, ServiceError } from '@plant-store/records';
import * as z from 'zod';

/** A request with its body read to the end. */
export interface ReadRequest {
  /** Names the request in its reply. */
  readonly id: string;
  readonly method: string;
  /** The path below the base address. */
  readonly path: string;
  /** The query, without its question mark. */
  readonly query: string;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

type FoundOperation = MatchedOperation<keyof typeof routes>;

/** The operation that a request names, if any. GET serves HEAD. */
export function matchOperation(method: string, path: string): FoundOperation | undefined {
  const servedBy = method === 'HEAD' ? 'GET' : method;
  return matchPath(path).find((operation) => operation.method === servedBy);
}

/**
 * The same, if the path is valid.
 *
 * @throws {ServiceError | URIError} `not_found` or `method_not_allowed`; when the path is not percent-encoded UTF-8
 */
export function findOperation({ method, path }: ReadRequest): FoundOperation {
  const operations = matchPath(path);
  if (operations.length === 0) throw new ServiceError('not_found', messages.notFound(path));
  decodeURIComponent(path);
  const operation = matchOperation(method, path);
  if (operation !== undefined) return operation;
  const allowed = allowedMethods(operations);
  throw new ServiceError('method_not_allowed', messages.methodNotAllowed(method, path, allowed), {
    headers: { Allow: allowed.join(', ') },
  });
}

/** A request, as the schemas of its operation have validated it: a part without a schema is `undefined`. */
export interface ValidRequest {
  readonly params: { readonly id: bigint };
  readonly query: RecordQuery & ChangeQuery;
  /** As they were sent: conditions are among them. */
  readonly headers: Conditions;
  /** What the operation takes. */
  readonly body: never;
}

/**
 * Validates a request by the schemas of its operation. A part without a schema is not read.
 *
 * @throws {ServiceError} for the first of these that it breaks: content type, size, JSON, shape
 */
export function readRequest({ name, params }: FoundOperation, request: ReadRequest): ValidRequest {
  const { metadata, ...schemas }: RequestSchemas = contract[name];
  const sentHeaders = Object.fromEntries(request.headers);
  const json = schemas.body && readJson(request, jsonShapeOf(schemas.body));
  const read = {
    path: schemas.pathParams?.safeParse(params),
    query: schemas.query?.safeParse(parseQuery(request.query)),
    headers: z.object(schemas.headers).safeParse(sentHeaders),
    body: schemas.body?.safeParse(json),
  };
  if (Object.values(read).some((part) => part?.success === false)) {
    const issues = Object.fromEntries(
      Object.entries(read).map(([part, result]) => [part, result?.error?.issues]),
    );
    const { errorName, message } = explainInvalid(issues, subjectOfOperation(metadata));
    throw new ServiceError(errorName, message);
  }
  const valid = {
    params: read.path?.data,
    query: read.query?.data,
    headers: sentHeaders,
    body: read.body?.data,
  };
  return valid as unknown as ValidRequest;
}

interface RequestSchemas {
  readonly metadata: Metadata;
  readonly pathParams?: z.ZodType;
  readonly query?: z.ZodType;
  readonly headers?: z.ZodRawShape;
  readonly body?: z.ZodType;
}

/** What the service takes by default, in bytes. */
const bodyLimitBytes = 1024 * 1024;

/** Reads a body as JSON in UTF-8 (RFC 8259), every integer exact. */
function readJson({ headers, body }: ReadRequest, shape: JsonShape): unknown {
  const [type, coding] = [headers.get('content-type'), headers.get('content-encoding')];
  if (type === null) throw unsupported(messages.missingContentType);
  if (!isJsonInUtf8(type)) throw unsupported(messages.unsupportedContentType(type));
  if (coding !== null && coding.toLowerCase() !== 'identity')
    throw unsupported(messages.unsupportedContentCoding(coding));
  if (body.length > bodyLimitBytes)
    throw new ServiceError('body_too_large', messages.bodyTooLarge(bodyLimitBytes));
  try {
    if (body.length === 0) throw new SyntaxError('it is empty');
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
    if (text.startsWith('\uFEFF')) throw new SyntaxError('it starts with a byte order mark');
    return parseExactJson(text, shape);
  } catch (error) {
    const problem = error instanceof SyntaxError ? error.message : 'it is not in UTF-8';
    throw new ServiceError('malformed_json', messages.malformedJson(problem.slice(0, 200).toWellFormed()));
  }
}

const unsupported = (message: string) => new ServiceError('unsupported_content_type', message);

/** `application/json` in any case, with any parameters (RFC 9110, section 5.6.6), but with no other charset than UTF-8. */
function isJsonInUtf8(type: string): boolean {
  const parameters = type
    .replace(/"((?:\\.|[^"\\])*)"/g, (_, text: string) => text.replace(/\\(.)/g, '$1').replaceAll(';', ''))
    // An unterminated quoted string includes all that follows.
    .replace(/;[^;]*".*$/, '');
  const charset = /;[ \t]*charset[ \t]*=([^;]*)/i.exec(parameters)?.[1] ?? 'utf-8';
  return /^application\/json[ \t]*(;|$)/i.test(type) && charset.trim().toLowerCase() === 'utf-8';
}
