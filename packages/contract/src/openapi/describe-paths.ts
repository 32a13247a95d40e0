import { type AppRoute, ContractNoBody } from '@ts-rest/core';
import * as z from 'zod';
import type {
  ZodOpenApiOperationObject,
  ZodOpenApiPathsObject,
  ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { type ErrorDefinition, errors } from '../errors/errors.js';
import { commonReplies, type OperationMetadata, type ReplyDescription } from '../operation-metadata.js';
import { describeHeaders } from './describe-headers.js';

/** A route of the contract, with the description of its replies. */
export type DescribedRoute = AppRoute & {
  readonly metadata: Pick<OperationMetadata, 'tag'> & {
    readonly replies: Readonly<Record<number, ReplyDescription>>;
  };
};

/**
 * The paths of a router, as the document has them.
 *
 * @throws {Error} for a route with something that this cannot describe, such as a form, rather than leave it out
 */
export function describePaths(router: Readonly<Record<string, DescribedRoute>>): ZodOpenApiPathsObject {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const [operationId, route] of Object.entries(router)) {
    rejectUndescribable(operationId, route);
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    const method = route.method.toLowerCase();
    if (paths[path]?.[method]) throw new Error(`${operationId}: another operation is ${method} there`);
    paths[path] = { ...paths[path], [method]: describeOperation(operationId, route) };
  }
  return paths;
}

function describeOperation(operationId: string, route: DescribedRoute): ZodOpenApiOperationObject {
  return {
    operationId,
    tags: [route.metadata.tag],
    summary: route.summary ?? operationId,
    description: route.description ?? '',
    ...describeParameters(route),
    ...(hasBody(route) && {
      requestBody: { required: true, content: { 'application/json': { schema: route.body } } },
    }),
    responses: describeResponses(route),
  } as ZodOpenApiOperationObject;
}

function describeParameters({ pathParams, query, headers }: AppRoute) {
  const requestParams = {
    ...(pathParams !== undefined && { path: pathParams }),
    ...(query !== undefined && { query }),
    ...(headers !== undefined && { header: z.object(headers as z.core.$ZodLooseShape) }),
  };
  return Object.keys(requestParams).length > 0 ? { requestParams } : {};
}

function describeResponses({ responses, metadata }: DescribedRoute): ZodOpenApiResponsesObject {
  const described: Record<string, object> = {};
  for (const [key, schema] of Object.entries(responses)) {
    const status = Number(key);
    const reply = describeReply(metadata.replies, status);
    described[key] = {
      description: reply?.description,
      headers: describeHeaders(status, reply?.headers),
      content: { 'application/json': { schema, ...describeErrors(status, reply?.errors) } },
    };
  }
  return described as ZodOpenApiResponsesObject;
}

function describeReply(
  replies: DescribedRoute['metadata']['replies'],
  status: number,
): ReplyDescription | undefined {
  const common: Readonly<Record<number, ReplyDescription>> = commonReplies;
  return replies[status] ?? common[status];
}

/** An example of each error that a reply may carry; nothing for a success. */
function describeErrors(status: number, names: readonly string[] = Object.keys(errors)) {
  const examples: Record<string, { summary: string; value: { error: number; message: string } }> = {};
  for (const [name, definition] of Object.entries<ErrorDefinition>(errors)) {
    if (definition.status !== status || !names.includes(name)) continue;
    examples[name] = {
      summary: definition.meaning,
      value: { error: definition.error, message: definition.example },
    };
  }
  return Object.keys(examples).length > 0 ? { examples } : {};
}

/** @throws {Error} for the first thing of a route that `describeOperation` would leave out, or print wrongly */
function rejectUndescribable(operationId: string, route: DescribedRoute): void {
  const reject = (what: string) => {
    throw new Error(
      `${operationId}: the OpenAPI document cannot describe ${what} yet; extend describe-paths.ts`,
    );
  };
  if (!/^(\/(:\w+|[\w.~-]+))+$/.test(route.path)) reject(`the path ${route.path}`);
  const { pathParams, query } = route;
  if (pathParams !== undefined && !(pathParams instanceof z.ZodObject)) reject('pathParams without a schema');
  if (query !== undefined && !(query instanceof z.ZodObject)) reject('a query without a schema');
  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name).sort();
  const inSchema = pathParams instanceof z.ZodObject ? Object.keys(pathParams.shape).sort() : [];
  if (`${inPath}` !== `${inSchema}`) reject(`the parameters ${inSchema} in the path ${route.path}`);
  for (const [name, schema] of Object.entries(route.headers ?? {})) {
    if (!(schema instanceof z.ZodType)) reject(`the header ${name} without a schema`);
  }
  if (route.deprecated !== undefined) reject('deprecated');
  if ('contentType' in route && route.contentType !== 'application/json') reject(`${route.contentType}`);
  if (hasBody(route) && !(route.body instanceof z.ZodType)) reject('a body without a schema');
  for (const [status, schema] of Object.entries(route.responses)) {
    if (!(schema instanceof z.ZodType)) reject(`the reply ${status} without a schema`);
    if (describeReply(route.metadata.replies, Number(status)) === undefined) reject(`the status ${status}`);
  }
}

/** A POST without a body declares `ContractNoBody`; a GET has no `body`. */
function hasBody(route: AppRoute): route is AppRoute & { body: unknown } {
  return 'body' in route && route.body !== ContractNoBody;
}
