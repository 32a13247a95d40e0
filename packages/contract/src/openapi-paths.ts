import { type AppRoute, ContractNoBody } from '@ts-rest/core';
import * as z from 'zod';
import type {
  ZodOpenApiHeaderObject,
  ZodOpenApiOperationObject,
  ZodOpenApiPathsObject,
  ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { errorTexts } from './error-texts.js';
import { type ErrorName, errors } from './errors.js';
import type { Operation as AnyOperation } from './metadata.js';
import { type ExampleRequest, exampleOf } from './openapi-examples.js';
import { descriptionsOf, errorsOf, hasBody } from './replies.js';
import { resources } from './resources.js';

export type Operation = AppRoute & AnyOperation;

/**
 * Describes the operations of a router for the OpenAPI document, each with an example request.
 *
 * @throws {Error} for an operation that this module cannot describe, or for two operations with the same method and path
 */
export function describePaths(router: Readonly<Record<string, Operation>>): ZodOpenApiPathsObject {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const [operationId, operation] of Object.entries(router)) {
    rejectUndescribable(operationId, operation);
    const path = operation.path.replace(/:(\w+)/g, '{$1}');
    const method = operation.method.toLowerCase();
    if (paths[path]?.[method])
      throw new Error(`${operationId}: another operation already uses ${method} on this path`);
    paths[path] = { ...paths[path], [method]: describeOperation(operationId, operation) };
  }
  return paths;
}

function describeOperation(operationId: string, operation: Operation): ZodOpenApiOperationObject {
  const { scope, resource } = operation.metadata;
  const example = exampleOf(operation);
  return {
    operationId,
    tags: [resource === undefined ? 'tokens' : resources[resource].plural],
    security: [{ bearer: scope === undefined ? [] : [scope] }],
    // The same scope, for tools that read `security` as in OpenAPI 3.0, where a bearer scheme has no scopes.
    'x-required-scope': scope,
    summary: operation.summary ?? operationId,
    description: operation.description,
    ...describeParameters(operation, example),
    ...(hasBody(operation) && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: operation.body, example: example.body } },
      },
    }),
    responses: describeResponses(operation),
  } as ZodOpenApiOperationObject;
}

function describeParameters({ pathParams, query, headers }: AppRoute, example: ExampleRequest) {
  // Path parameters are text.
  const path = Object.entries(example.params ?? {}).map(([name, value]) => [name, String(value)]);
  const requestParams = {
    ...(pathParams instanceof z.ZodObject && {
      path: withExamples(pathParams.shape, Object.fromEntries(path)),
    }),
    ...(query instanceof z.ZodObject &&
      Object.keys(query.shape).length > 0 && { query: withExamples(query.shape, example.query) }),
    ...(headers !== undefined && {
      header: withExamples(headers as z.core.$ZodLooseShape, example.headers),
    }),
  };
  return Object.keys(requestParams).length > 0 ? { requestParams } : {};
}

/**
 * Returns the parameters, each with an example. A parameter that the example request lacks gets an empty example; otherwise tools that send
 * all parameters would invent a value. Insomnia reads only the example in a schema.
 */
function withExamples(shape: z.core.$ZodLooseShape, values: object = {}): z.ZodObject {
  const parameters = Object.entries<z.ZodType>(shape).map(([name, schema]) => {
    const { override, ...meta } = schema.meta() ?? {};
    const example: unknown = Reflect.get(values, name) ?? '';
    const schemaExample = example !== '' && { override: { ...Object(override), example } };
    return [name, schema.meta({ ...meta, override, ...schemaExample, param: { example } })];
  });
  return z.object(Object.fromEntries(parameters));
}

function describeResponses(operation: Operation): ZodOpenApiResponsesObject {
  const descriptions = descriptionsOf(operation);
  const errorNames = errorsOf(operation);
  const described: Record<string, object> = {};
  for (const [key, schema] of Object.entries(operation.responses)) {
    const status = Number(key);
    described[key] = {
      description: descriptions[status],
      headers: describeHeaders(operation, status),
      ...(schema !== ContractNoBody && {
        content: { 'application/json': { schema, ...describeErrors(errorNames[status]) } },
      }),
    };
  }
  return described as ZodOpenApiResponsesObject;
}

/** Returns an example of each error that a reply can have. A success has none. */
function describeErrors(names: readonly ErrorName[] = []) {
  const examples = names.map((name) => {
    const { meaning, example } = errorTexts[name];
    return [name, { summary: meaning, value: { error: errors[name].error, message: example } }];
  });
  return examples.length > 0 && { examples: Object.fromEntries(examples) };
}

/** @throws {Error} if the path and the schema have different parameters, or a reply has no description */
function rejectUndescribable(operationId: string, route: Operation): void {
  const reject = (what: string) => {
    throw new Error(
      `${operationId}: the OpenAPI document cannot describe ${what} yet; extend openapi-paths.ts`,
    );
  };
  const { pathParams } = route;
  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name).sort();
  const inSchema = pathParams instanceof z.ZodObject ? Object.keys(pathParams.shape).sort() : [];
  if (`${inPath}` !== `${inSchema}`) reject(`the parameters ${inSchema} in the path ${route.path}`);
  const descriptions = descriptionsOf(route);
  for (const status of Object.keys(route.responses).map(Number))
    if (descriptions[status] === undefined) reject(`the status ${status}`);
}

const replyHeaders = {
  'X-Request-Id': {
    description: 'Identifies this request in the service log. Include it when you report an error.',
    schema: { type: 'string', examples: ['5f0c954e-1a41-4c8e-9d8c-3f0f4d2f9d55'] },
  },
  'Idempotent-Replayed': {
    description: 'Present if an earlier request stored the same plant, so this request stored nothing.',
    schema: { type: 'string', enum: ['true'] },
  },
  ETag: {
    description:
      'Identifies the version of the plant in this reply (RFC 9110, section 8.8.3). Send it as `If-Match` to update the plant only if it has not changed.',
    schema: { type: 'string', examples: ['"7Qz1t0cVbq0Zk2y1mYf3dA"'] },
  },
  'Retry-After': {
    description: 'How many seconds to wait before you retry (RFC 9110, section 10.2.3).',
    schema: { type: 'integer', minimum: 0, examples: [1] },
  },
  RateLimit: {
    description: 'How many requests are left in the current window, if the operator set a limit.',
    schema: { type: 'string', examples: ['"plants"; r=59; t=60'] },
  },
  'RateLimit-Policy': {
    description: 'The rate limit, if the operator set one (draft-ietf-httpapi-ratelimit-headers-08).',
    schema: { type: 'string', examples: ['"plants"; q=60; w=60'] },
  },
  'WWW-Authenticate': {
    description: 'The bearer challenge (RFC 6750, section 3).',
    schema: { type: 'string', examples: ['Bearer realm="plant-store", error="invalid_token"'] },
  },
} satisfies Record<string, ZodOpenApiHeaderObject>;

type HeaderName = keyof typeof replyHeaders;

/** Returns the name of the component that describes a header, such as `RetryAfter`. */
const componentOf = (name: string) => name.replaceAll(/^X-|-/g, '').replace('WWW', 'Www');

export const headers: Readonly<Record<string, ZodOpenApiHeaderObject>> = Object.fromEntries(
  Object.entries(replyHeaders).map(([name, header]) => [componentOf(name), header]),
);

const rateLimitHeaders = ['RateLimit', 'RateLimit-Policy'] as const;

/**
 * The headers that any operation can send with a status, besides the request ID. A reply with another status can have the rate limit
 * headers, which the service sets as soon as the token is valid.
 */
const headersByStatus: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  429: ['Retry-After', ...rateLimitHeaders],
  503: ['Retry-After', ...rateLimitHeaders],
};

function describeHeaders({ metadata: { operation } }: Operation, status: number) {
  const showsOneRecord = operation === 'create' || operation === 'get' || operation === 'update';
  const names: readonly HeaderName[] = [
    'X-Request-Id',
    ...(showsOneRecord && status < 400 ? (['ETag'] as const) : []),
    ...(operation === 'create' && status === 200 ? (['Idempotent-Replayed'] as const) : []),
    ...(headersByStatus[status] ?? rateLimitHeaders),
  ];
  return Object.fromEntries(
    names.map((name) => [name, { $ref: `#/components/headers/${componentOf(name)}` }]),
  );
}
