import { type RequestSchemas, requestSchemas } from '@plant-store/contract';
import { explainInvalidRequest } from '@plant-store/contract/messages';
import { parseQuery } from '@plant-store/contract/request-target';
import { ServiceError } from '../service-error.js';
import { readJsonBody } from './read-body.js';

type Schemas = typeof requestSchemas;

/** A request of an operation, validated: the parts that the operation has a schema for. */
export type ValidRequest<Name extends keyof Schemas> = {
  readonly [Part in keyof Schemas[Name]]: Schemas[Name][Part] extends { readonly _output: infer Output }
    ? Output
    : never;
};

/** The parts of a request, as they were sent. */
export interface RawRequest {
  /** The parameters in the path, decoded. */
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
export function readRequest<Name extends keyof Schemas>(name: Name, request: RawRequest): ValidRequest<Name> {
  const schemas: RequestSchemas = requestSchemas[name];
  const json = schemas.body && readJsonBody(request.headers, request.body);
  const path = schemas.path?.safeParse(request.params);
  const query = schemas.query?.safeParse(parseQuery(request.query));
  const headers = schemas.headers?.safeParse(Object.fromEntries(request.headers));
  const body = schemas.body?.safeParse(json);
  if ([path, query, headers, body].some((result) => result?.success === false)) {
    const { errorName, message } = explainInvalidRequest({
      path: path?.error?.issues,
      query: query?.error?.issues,
      headers: headers?.error?.issues,
      body: body?.error?.issues,
    });
    throw new ServiceError(errorName, message);
  }
  // What each schema gives, by its own type; the compiler cannot follow it through the optional parts.
  return {
    path: path?.data,
    query: query?.data,
    headers: headers?.data,
    body: body?.data,
  } as ValidRequest<Name>;
}
