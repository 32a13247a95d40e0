import type { AppRoute } from '@ts-rest/core';
import * as z from 'zod';
import type {
  ZodOpenApiOperationObject,
  ZodOpenApiPathsObject,
  ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { type ErrorDefinition, errors } from '../errors/errors.js';
import { headersOf } from './openapi-headers.js';

const descriptionsByStatus: Readonly<Record<number, string>> = {
  200: 'The plant response: the plant is stored, durably',
  400: 'Something is wrong with the request itself; nothing was stored',
  401: 'The access token is missing or not valid',
  429: 'Too many requests',
  500: 'An error of the service',
  503: 'The service cannot store plants at the moment',
};

/**
 * The paths of a router, as the document has them.
 *
 * @throws {Error} for a route with something that this has no words for, such as a parameter, rather than leave it out
 */
export function describePaths(router: Readonly<Record<string, AppRoute>>): ZodOpenApiPathsObject {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const [operationId, route] of Object.entries(router)) {
    refuseUndescribable(operationId, route);
    const method = route.method.toLowerCase();
    if (paths[route.path]?.[method]) throw new Error(`${operationId}: another operation is ${method} there`);
    paths[route.path] = { ...paths[route.path], [method]: describeOperation(operationId, route) };
  }
  return paths;
}

function describeOperation(operationId: string, route: AppRoute): ZodOpenApiOperationObject {
  return {
    operationId,
    tags: ['plants'],
    summary: route.summary ?? operationId,
    description: route.description ?? '',
    ...('body' in route && {
      requestBody: { required: true, content: { 'application/json': { schema: route.body } } },
    }),
    responses: describeResponses(route.responses),
  } as ZodOpenApiOperationObject;
}

function describeResponses(responses: AppRoute['responses']): ZodOpenApiResponsesObject {
  const described: Record<string, object> = {};
  for (const [status, schema] of Object.entries(responses)) {
    described[status] = {
      description: descriptionsByStatus[Number(status)],
      headers: headersOf(Number(status)),
      content: { 'application/json': { schema, ...describeErrors(Number(status)) } },
    };
  }
  return described as ZodOpenApiResponsesObject;
}

/** An example of each error that a status may carry; nothing for a success. */
function describeErrors(status: number) {
  const examples: Record<string, { summary: string; value: { error: number; message: string } }> = {};
  for (const [name, definition] of Object.entries<ErrorDefinition>(errors)) {
    if (definition.status !== status) continue;
    examples[name] = {
      summary: definition.meaning,
      value: { error: definition.error, message: definition.example },
    };
  }
  return Object.keys(examples).length > 0 ? { examples } : {};
}

/** @throws {Error} for the first thing of a route that `describeOperation` would leave out, or print wrongly */
function refuseUndescribable(operationId: string, route: AppRoute): void {
  const refuse = (what: string) => {
    throw new Error(
      `${operationId}: the OpenAPI document cannot describe ${what} yet; extend openapi-paths.ts`,
    );
  };
  if (!/^(\/[\w.~-]+)+$/.test(route.path)) refuse(`the path ${route.path}`);
  for (const part of ['pathParams', 'query', 'headers', 'deprecated'] as const) {
    if (route[part] !== undefined) refuse(part);
  }
  if ('contentType' in route && route.contentType !== 'application/json') refuse(`${route.contentType}`);
  if ('body' in route && !(route.body instanceof z.ZodType)) refuse('a body without a schema');
  for (const [status, schema] of Object.entries(route.responses)) {
    if (!(schema instanceof z.ZodType)) refuse(`the reply ${status} without a schema`);
    if (descriptionsByStatus[Number(status)] === undefined) refuse(`the status ${status}`);
  }
}
