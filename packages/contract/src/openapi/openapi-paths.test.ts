import { type AppRoute, ContractNoBody } from '@ts-rest/core';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { errorSchemaOf } from '../errors/error-schema.js';
import { describePaths } from './openapi-paths.js';

const plants = {
  method: 'POST',
  path: '/plants',
  body: z.object({ name: z.string() }),
  responses: { 200: z.object({ name: z.string() }), 400: errorSchemaOf(400) },
} satisfies AppRoute;

describe('the paths of the document', () => {
  it('have each method of a path', () => {
    const { body: _, ...query } = plants;
    const paths = describePaths({ create: plants, list: { ...query, method: 'GET' } });
    expect(Object.keys(paths['/plants'] ?? {})).toEqual(['post', 'get']);
    expect(paths['/plants']?.get).not.toHaveProperty('requestBody');
  });

  it.each<[string, Partial<AppRoute> | { body: typeof ContractNoBody; contentType?: string }]>([
    ['a path with a parameter', { path: '/plants/:id' }],
    ['a schema of path parameters', { pathParams: z.object({ id: z.string() }) }],
    ['a query', { query: z.object({ limit: z.string() }) }],
    ['headers', { headers: { 'x-tenant': z.string() } }],
    ['a deprecation', { deprecated: true }],
    ['a form', { contentType: 'multipart/form-data' }],
    ['no body', { body: ContractNoBody }],
    ['a reply without a body', { responses: { 200: ContractNoBody } }],
    ['a reply without a description', { responses: { 302: plants.responses[200] } }],
  ])('are refused for an operation with %s', (_, part) => {
    const route = { ...plants, ...part } as AppRoute;
    expect(() => describePaths({ findPlant: route })).toThrow(/^findPlant: .*cannot describe/);
  });

  it('are refused for two operations with one method and path', () => {
    expect(() => describePaths({ createPlant: plants, addPlant: plants })).toThrow(/^addPlant: another/);
  });
});
