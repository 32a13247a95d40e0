import { type AppRoute, ContractNoBody } from '@ts-rest/core';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createDocument } from 'zod-openapi';
import { errorSchemaOf } from '../errors/error-schema.js';
import { Int64ParameterSchema } from '../int64/int64-parameter-schema.js';
import { type DescribedRoute, describePaths } from './describe-paths.js';

const plants = {
  method: 'POST',
  path: '/plants',
  body: z.object({ name: z.string() }),
  responses: { 200: z.object({ name: z.string() }), 400: errorSchemaOf(400) },
  metadata: {
    tag: 'plants',
    replies: {
      200: { description: 'The plant', headers: ['Idempotent-Replayed'] },
      400: { description: 'No' },
    },
  },
} satisfies DescribedRoute;
const { body: _body, ...bodiless } = plants;

describe('the paths of the document', () => {
  it('have each method of a path', () => {
    const paths = describePaths({ create: plants, list: { ...bodiless, method: 'GET' } });
    expect(Object.keys(paths['/plants'] ?? {})).toEqual(['post', 'get']);
    expect(paths['/plants']?.get).not.toHaveProperty('requestBody');
  });

  it('have the parameters of an operation, of whatever part of the request', () => {
    const { paths } = createDocument({
      openapi: '3.1.1',
      info: { title: 'Plants', version: '1.0.0' },
      paths: describePaths({
        findLeaves: {
          ...bodiless,
          method: 'GET',
          path: '/plants/:plantId/leaves',
          pathParams: z.object({ plantId: Int64ParameterSchema }),
          query: z.object({ colour: z.string().optional() }),
          headers: { 'x-tenant': z.string() },
        },
      }),
    });
    expect(paths?.['/plants/{plantId}/leaves']?.get?.parameters).toEqual([
      { in: 'path', name: 'plantId', required: true, schema: { type: 'integer', format: 'int64' } },
      { in: 'query', name: 'colour', schema: { type: 'string' } },
      { in: 'header', name: 'x-tenant', required: true, schema: { type: 'string' } },
    ]);
  });

  it('have no body for an operation that takes none', () => {
    const paths = describePaths({ drain: { ...plants, body: ContractNoBody } });
    expect(paths['/plants']?.post).not.toHaveProperty('requestBody');
  });

  it('describe each reply as its operation does, with its headers and errors', () => {
    const replies = {
      ...plants.metadata.replies,
      400: { description: 'The plant is not valid', errors: ['invalid_plant'] as const },
    };
    const paths = describePaths({ create: { ...plants, metadata: { tag: 'plants', replies } } });
    const responses = Object(paths['/plants']?.post?.responses);
    expect(responses[200].description).toBe('The plant');
    expect(Object.keys(responses[200].headers)).toContain('Idempotent-Replayed');
    expect(responses[400].description).toBe('The plant is not valid');
    expect(Object.keys(responses[400].headers)).not.toContain('Idempotent-Replayed');
    expect(Object.keys(responses[400].content['application/json'].examples)).toEqual(['invalid_plant']);
  });

  it.each<[string, Partial<AppRoute> | { body: typeof ContractNoBody; contentType?: string }]>([
    ['a path parameter without a schema', { path: '/plants/:id' }],
    ['a path parameter that may be absent', { path: '/plants/:id?' }],
    ['a schema of a parameter that the path lacks', { pathParams: z.object({ id: z.string() }) }],
    ['path parameters as a type alone', { path: '/plants/:id', pathParams: null as never }],
    ['a query as a type alone', { query: null as never }],
    ['a header as a type alone', { headers: { 'x-tenant': null as never } }],
    ['a deprecation', { deprecated: true }],
    ['a form', { contentType: 'multipart/form-data' }],
    ['a body as a type alone', { body: null as never }],
    ['a reply without a body', { responses: { 200: ContractNoBody } }],
    ['a reply without a description', { responses: { 302: plants.responses[200] } }],
  ])('are refused for an operation with %s', (_, part) => {
    const route = { ...plants, ...part } as DescribedRoute;
    expect(() => describePaths({ findPlant: route })).toThrow(/^findPlant: .*cannot describe/);
  });

  it('are refused for two operations with one method and path', () => {
    expect(() => describePaths({ createPlant: plants, addPlant: plants })).toThrow(/^addPlant: another/);
  });
});
