import type { AppRoute } from '@ts-rest/core';
import {
  createDocument,
  type ZodOpenApiHeaderObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { contract } from './contract.js';
import { type ErrorDefinition, errors } from './errors.js';

/**
 * The OpenAPI 3.1 document of the interface, derived from the contract: paths, schemas, examples and errors
 * all come from the definition that the service runs.
 */
export function createOpenApiDocument(): ReturnType<typeof createDocument> {
  return createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: 'Plant Store',
        version: '1.0.0',
        description: 'Stores plants, exactly and durably. A 200 means that the plant is on disk.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/', description: 'The service that serves this document' }],
      security: [{ bearer: [] }],
      tags: [{ name: 'plants', description: 'The plants in the store' }],
      paths: describePaths(contract),
      components: {
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            description: 'An access token that the operator has issued (RFC 6750).',
          },
        },
        headers,
      },
    },
    // A reader ignores fields it does not know, in requests and in replies.
    { override: ({ jsonSchema }) => void delete jsonSchema.additionalProperties },
  );
}

const headers = {
  RequestId: {
    description: 'Names this request in the log of the service; quote it when reporting a fault.',
    schema: { type: 'string', examples: ['5f0c954e-1a41-4c8e-9d8c-3f0f4d2f9d55'] },
  },
  IdempotentReplayed: {
    description: 'Present when the same plant was stored before and nothing was stored now.',
    schema: { type: 'string', enum: ['true'] },
  },
  RetryAfter: {
    description: 'Seconds to wait before the request is repeated (RFC 9110, section 10.2.3).',
    schema: { type: 'integer', minimum: 0, examples: [1] },
  },
  RateLimit: {
    description: 'Requests left in the current window, where the operator has set a limit.',
    schema: { type: 'string', examples: ['"plants"; r=59; t=60'] },
  },
  RateLimitPolicy: {
    description:
      'The limit itself, where the operator has set one (draft-ietf-httpapi-ratelimit-headers-08).',
    schema: { type: 'string', examples: ['"plants"; q=60; w=60'] },
  },
  WwwAuthenticate: {
    description: 'The bearer challenge (RFC 6750, section 3).',
    schema: { type: 'string', examples: ['Bearer realm="plant-store", error="invalid_token"'] },
  },
} satisfies Record<string, ZodOpenApiHeaderObject>;

const header = (name: keyof typeof headers) => ({ $ref: `#/components/headers/${name}` });

const rateLimitHeaders = { RateLimit: header('RateLimit'), 'RateLimit-Policy': header('RateLimitPolicy') };

/** The headers, besides the request id, that a reply of a status may bear. */
const headersByStatus: Readonly<Record<number, Record<string, ReturnType<typeof header>>>> = {
  200: { 'Idempotent-Replayed': header('IdempotentReplayed'), ...rateLimitHeaders },
  400: rateLimitHeaders,
  401: { 'WWW-Authenticate': header('WwwAuthenticate') },
  429: { 'Retry-After': header('RetryAfter'), ...rateLimitHeaders },
  503: { 'Retry-After': header('RetryAfter') },
};

const descriptionsByStatus: Readonly<Record<number, string>> = {
  200: 'The plant response: the plant is stored, durably',
  400: 'Something is wrong with the request itself; nothing was stored',
  401: 'The access token is missing or not valid',
  429: 'Too many requests',
  500: 'A fault of the service',
  503: 'The service cannot store plants at the moment',
};

function describePaths(router: Readonly<Record<string, AppRoute>>): ZodOpenApiPathsObject {
  const paths: ZodOpenApiPathsObject = {};
  for (const [operationId, route] of Object.entries(router)) {
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: describeOperation(operationId, route),
    };
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
      description: descriptionsByStatus[Number(status)] ?? `Status ${status}`,
      headers: { 'X-Request-Id': header('RequestId'), ...headersByStatus[Number(status)] },
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
