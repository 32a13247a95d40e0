import { type AppRoute, ContractNoBody, initContract } from '@ts-rest/core';
import * as z from 'zod';
import type { ErrorBody } from './errors.js';
import type { Definition, ReplyDescription, Route } from './operation.js';
import { definitions, routes } from './operations.js';
import { type RequestSchemas, requestSchemas } from './request-schemas.js';
import { schemas } from './schemas.js';

/** The body of every reply that is not a success (API: Resources, Error). */
export const ErrorSchema = z
  .object({
    error: z.int32().meta({
      description: 'Numeric error value: the HTTP status times 100, plus a serial number',
      override: { type: 'integer', format: 'int32', minimum: undefined, maximum: undefined },
    }),
    message: z.string().meta({ description: 'Error message text' }),
  })
  .meta({
    id: 'Error',
    // No example here: mock servers would send it with every status. Each reply has examples of its own errors.
    description: 'What went wrong, as a stable number and as a sentence that explains what to do.',
  });

/**
 * The API, version 1.0.0: every operation with the request it takes and each reply it may give.
 *
 * The service implements this router and the client is typed by it, so neither can drift from the other.
 */
export const contract = initContract().router(
  Object.fromEntries(
    (Object.keys(routes) as (keyof typeof routes)[]).map((name) => [
      name,
      createRoute(routes[name], definitions[name], requestSchemas[name]),
    ]),
    // Entry by entry what the types below derive in the same way.
  ) as { [Name in keyof typeof routes]: ContractRoute<Name> },
  { strictStatusCodes: true },
);

/** What is to be known of an operation besides its route and its schemas. */
export interface OperationMetadata extends Pick<Definition, 'scope' | 'tag'> {
  readonly replies: Readonly<Record<number, ReplyDescription>>;
}

/** An operation as ts-rest takes it. */
type ContractRoute<Name extends keyof typeof routes> = Pick<(typeof routes)[Name], 'method' | 'path'> & {
  summary: string;
  description: string;
  metadata: OperationMetadata;
  responses: {
    [Status in (typeof routes)[Name]['statuses'][number]]: Status extends 200
      ? SchemaOf<(typeof definitions)[Name]['replies']>
      : // The marker of ts-rest, by another type: its own would bring the types of ts-rest to all who import this.
        Status extends 204
        ? z.ZodType<undefined>
        : z.ZodType<ErrorBody<Status>>;
  };
} & RequestOf<(typeof requestSchemas)[Name]> &
  BodyOf<(typeof routes)[Name]['method'], (typeof requestSchemas)[Name]>;

/** The schema of a success. */
type SchemaOf<Replies> = Replies extends { readonly 200: { readonly body: infer Body } }
  ? (typeof schemas)[Body & keyof typeof schemas]
  : never;

/** The schemas of a request by the names that ts-rest has for its parts. */
type RequestOf<Schemas> = {
  [Part in keyof Schemas as Part extends 'path' ? 'pathParams' : Part]: Part extends 'headers'
    ? Schemas[Part]['shape' & keyof Schemas[Part]]
    : Schemas[Part];
};

/** ts-rest wants to know that a POST, PUT or PATCH has no body. */
type BodyOf<Method, Schemas> = Method extends 'GET' | 'DELETE'
  ? unknown
  : 'body' extends keyof Schemas
    ? unknown
    : { body: typeof ContractNoBody };

function createRoute(
  { method, path, statuses }: Route,
  { scope, tag, summary, description, replies }: Definition,
  { path: pathParams, query, headers, body }: RequestSchemas,
): AppRoute {
  const responses = statuses.map((status) => {
    const named = replies[status]?.body;
    if (status === 204) return [status, ContractNoBody];
    return [status, named === undefined ? ErrorSchema : schemas[named]];
  });
  return {
    ...{ method, path, summary, description },
    metadata: { scope, tag, replies } satisfies OperationMetadata,
    ...(pathParams && { pathParams }),
    ...(query && { query }),
    ...(headers && { headers: headers.shape }),
    ...(method !== 'GET' && { body: body ?? ContractNoBody }),
    responses: Object.fromEntries(responses),
  } as AppRoute;
}
