import { contract, jsonShapeOf, subjectOfOperation } from '@plant-store/contract';
import type { Scope } from '@plant-store/contract/access-token';
import { explainInvalid, messages } from '@plant-store/contract/messages';
import type { IssuedToken, Token } from '@plant-store/contract/operations';
import {
  allowedMethods,
  type MatchedOperation,
  matchPath,
  parseQuery,
} from '@plant-store/contract/request-target';
import type { routes } from '@plant-store/contract/routes';
import type { ServerInferRequest } from '@ts-rest/core';
import * as z from 'zod';
import { readJsonBody } from './read-body.js';
import { ServiceError } from './reply.js';

/** The operation that a request names, if any. GET serves HEAD. */
export function matchOperation(
  method: string,
  path: string,
): MatchedOperation<keyof typeof routes> | undefined {
  const servedBy = method === 'HEAD' ? 'GET' : method;
  return matchPath(path).find((operation) => operation.method === servedBy);
}

/**
 * The same, if the path is valid.
 *
 * @throws {ServiceError} `not_found`, `bad_request` or `method_not_allowed`
 */
export function findOperation(method: string, path: string): MatchedOperation<keyof typeof routes> {
  const operations = matchPath(path);
  if (operations.length === 0) {
    throw new ServiceError('not_found', messages.notFound(path));
  }
  requireValidEncoding(path);
  const operation = matchOperation(method, path);
  if (operation !== undefined) return operation;
  const allowed = allowedMethods(operations);
  const message = messages.methodNotAllowed(method, path, allowed);
  throw new ServiceError('method_not_allowed', message, { Allow: allowed.join(', ') });
}

function requireValidEncoding(path: string): void {
  try {
    decodeURIComponent(path);
  } catch {
    throw new ServiceError('bad_request', messages.invalidPath);
  }
}

/**
 * Checks that a request brings one of the accepted tokens as `Authorization: Bearer` (RFC 6750, section 2.1), or one that was created.
 *
 * @returns the token, without its text
 * @throws {ServiceError} `missing_token` or `invalid_token`
 */
export function authenticate(
  headers: Headers,
  {
    acceptedTokens,
    scopes,
    tokens,
  }: {
    readonly acceptedTokens: readonly string[];
    readonly scopes: readonly Scope[];
    readonly tokens: ReadonlyMap<bigint, IssuedToken>;
  },
): Token {
  const text = /^Bearer +(\S.*)$/i.exec(headers.get('authorization') ?? '')?.[1];
  if (text === undefined) {
    throw unauthorized('missing_token', messages.missingToken);
  }
  const created = [...tokens.values()].find(({ secret }) => secret === text);
  if (created !== undefined && !hasEnded(created)) return created;
  if (acceptedTokens.includes(text))
    return { id: 1n, name: 'test', scopes: [...scopes], createdAt: new Date().toISOString() };
  throw unauthorized(
    'invalid_token',
    issuedForm.test(text) ? messages.unknownToken : messages.malformedToken,
  );
}

/** Whether a token is not valid any more. */
export function hasEnded({ revokedAt, expiresAt }: Token): boolean {
  return revokedAt !== undefined || (expiresAt !== undefined && Date.parse(expiresAt) <= Date.now());
}

const issuedForm = /^pst_[0-9A-Za-z]{49}$/;

/** The challenge names an error only when a token was sent (RFC 6750, section 3.1). */
function unauthorized(errorName: 'missing_token' | 'invalid_token', message: string): ServiceError {
  const error = errorName === 'invalid_token' ? ', error="invalid_token"' : '';
  return new ServiceError(errorName, message, { 'WWW-Authenticate': `Bearer realm="plant-store"${error}` });
}

/**
 * Checks that the token permits an operation.
 *
 * @throws {ServiceError} `insufficient_scope`
 */
export function requireScope(name: keyof typeof contract, scopes: readonly Scope[]): void {
  const { scope } = contract[name].metadata;
  if (scope === undefined || scopes.includes(scope)) return;
  throw new ServiceError('insufficient_scope', messages.missingScope(scope), {
    'WWW-Authenticate': `Bearer realm="plant-store", error="insufficient_scope", scope="${scope}"`,
  });
}

/** A request of an operation, validated. A part that the operation has no schema for is not there. */
export type ValidRequest<Name extends keyof typeof contract> = ServerInferRequest<(typeof contract)[Name]>;

/** The parts of a request, as they were sent. */
export interface RawRequest {
  /** The parameters in the path, as they were sent: still percent-encoded. */
  readonly params: Readonly<Record<string, string>>;
  /** The query, without its question mark. */
  readonly query: string;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/**
 * Validates a request by the schemas of its operation. A part without a schema is not read.
 *
 * @throws {ServiceError} for the first of these that it breaks: content type, size, JSON, shape
 */
export function readRequest<Name extends keyof typeof contract>(
  name: Name,
  request: RawRequest,
): ValidRequest<Name> {
  const schemas: RequestSchemas = contract[name as keyof typeof contract];
  const json = schemas.body && readJsonBody(request.headers, request.body, jsonShapeOf(schemas.body));
  const params = schemas.pathParams?.safeParse(request.params);
  const query = schemas.query?.safeParse(parseQuery(request.query));
  const headers = z.object(schemas.headers).safeParse(Object.fromEntries(request.headers));
  const body = schemas.body?.safeParse(json);
  if ([params, query, headers, body].some((result) => result?.success === false)) {
    const { errorName, message } = explainInvalid(
      {
        path: params?.error?.issues,
        query: query?.error?.issues,
        headers: headers.error?.issues,
        body: body?.error?.issues,
      },
      subjectOfOperation(contract[name].metadata),
    );
    throw new ServiceError(errorName, message);
  }
  // What each schema gives, by its own type; the compiler cannot follow it through the optional parts.
  const valid: object = { params: params?.data, query: query?.data, headers: headers.data, body: body?.data };
  return valid as ValidRequest<Name>;
}

/** The schemas of an operation's request. */
interface RequestSchemas {
  readonly pathParams?: z.ZodType;
  readonly query?: z.ZodType;
  readonly headers?: z.ZodRawShape;
  readonly body?: z.ZodType;
}
