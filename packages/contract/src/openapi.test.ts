import { readFileSync } from 'node:fs';
import { type AppRoute, ContractNoBody } from '@ts-rest/core';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { contract } from './contract.js';
import { createOpenApiDocument } from './openapi.js';
import { exampleOf } from './openapi-examples.js';
import { describePaths, type Operation } from './openapi-paths.js';
import { ErrorSchema } from './schemas.js';

describe('the document', () => {
  it('is printed in openapi.json', () => {
    const printed = readFileSync(new URL('../openapi.json', import.meta.url), 'utf8');
    expect(
      printed === `${JSON.stringify(createOpenApiDocument(), null, 2)}\n`,
      'openapi.json is out of date: run `pnpm --filter @plant-store/contract run print-openapi`',
    ).toBe(true);
  });

  it.each(Object.entries<Operation>(contract))('has an example that is valid: %s', (_, operation) => {
    const { params = {}, query = {}, headers = {}, body } = exampleOf(operation);
    const asTexts = (values: object) => Object.entries(values).map(([key, value]) => [key, `${value}`]);
    const expectValid = (schema: unknown, value: unknown) => {
      if (schema instanceof z.ZodType) expect(schema.safeParse(value).error).toBeUndefined();
    };
    expectValid(operation.pathParams, Object.fromEntries(asTexts(params)));
    expectValid(operation.query, Object.fromEntries(asTexts(query)));
    expectValid(z.object(Object(operation.headers)), headers);
    expectValid('body' in operation ? operation.body : undefined, body);
  });
});

const plants = {
  method: 'POST',
  path: '/plants',
  body: z.object({ name: z.string() }),
  responses: { 200: z.object({ name: z.string() }), 400: ErrorSchema },
  metadata: { scope: 'create', resource: 'plant', operation: 'create' },
} satisfies Operation;
const { body: _body, ...bodiless } = plants;

describe('the paths of the document', () => {
  it('have each method of a path, and a body where the operation takes one', () => {
    const list = { ...bodiless, method: 'GET' } as const;
    const drain = { ...plants, method: 'PUT', body: ContractNoBody } as const;
    const paths = describePaths({ create: plants, list, drain });
    const body = { requestBody: expect.anything() };
    const [withBody, without] = [expect.objectContaining(body), expect.not.objectContaining(body)];
    expect(paths['/plants']).toEqual({ post: withBody, get: without, put: without });
  });

  const { 200: reply } = plants.responses;

  it.each<[string, Partial<AppRoute>]>([
    ['the parameters  in the path /plants/:id', { path: '/plants/:id' }],
    ['the parameters id in the path /plants', { pathParams: z.object({ id: z.string() }) }],
    ['the status 302', { responses: { 302: reply } }],
  ])('do not describe %s', (what, part) => {
    const operation = { ...plants, ...part } as Operation;
    const message = `findPlant: the OpenAPI document cannot describe ${what} yet; extend openapi-paths.ts`;
    expect(() => describePaths({ findPlant: operation })).toThrow(new Error(message));
  });

  it('are rejected for two operations with the same method and path', () => {
    expect(() => describePaths({ createPlant: plants, addPlant: plants })).toThrow(/^addPlant: another/);
  });
});
