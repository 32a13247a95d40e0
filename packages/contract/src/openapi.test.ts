import { readFileSync } from 'node:fs';
import { type AppRoute, ContractNoBody } from '@ts-rest/core';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createDocument } from 'zod-openapi';
import { contract } from './contract.js';
import { type ErrorDefinition, errors } from './errors.js';
import { createOpenApiDocument } from './openapi.js';
import { describePaths, type ScopedRoute } from './openapi-paths.js';
import type { OperationTexts } from './openapi-texts.js';
import { ErrorSchema, Int64ParameterSchema, NewPlantSchema, PlantSchema } from './schemas.js';

const document = createOpenApiDocument();
const operation = document.paths?.['/plants']?.post;

describe('openapi.json', () => {
  it('is the print of the document', () => {
    const printed = readFileSync(new URL('../openapi.json', import.meta.url), 'utf8');
    expect(
      printed === `${JSON.stringify(document, null, 2)}\n`,
      'openapi.json is out of date: run `pnpm --filter @plant-store/contract run print-openapi`',
    ).toBe(true);
  });
});

describe('the document', () => {
  it('is OpenAPI 3.1 of the API 1.0.0 under MIT', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info).toMatchObject({ version: '1.0.0', license: { name: 'MIT', identifier: 'MIT' } });
    expect(document.info.contact).toEqual({ name: expect.any(String) });
  });

  it('asks for a bearer token throughout', () => {
    expect(document.components?.securitySchemes).toMatchObject({
      bearer: { type: 'http', scheme: 'bearer' },
    });
    expect(document.security).toEqual([{ bearer: [] }]);
    const operations = Object.values(document.paths ?? {}).flatMap((path) => Object.values(path ?? {}));
    for (const { operationId, ...described } of operations) {
      const { scope } = contract[operationId as keyof typeof contract].metadata;
      expect(described).toHaveProperty('x-required-scope', scope);
    }
    expect(operation).not.toHaveProperty('security');
  });

  it('has the operations of the contract, and no other', () => {
    const described = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => [operationId, method, path]),
    );
    const declared = Object.entries(contract).map(([name, { method, path }]) => [
      name,
      method.toLowerCase(),
      path.replace(/:(\w+)/g, '{$1}'),
    ]);
    expect(described.sort()).toEqual(declared.sort());
    expect(described).toContainEqual(['createPlant', 'post', '/plants']);
  });

  it('has the body of createPlant, which has no parameters', () => {
    expect(operation).toMatchObject({ requestBody: { required: true, content: jsonOf('NewPlant') } });
    expect(operation).not.toHaveProperty('parameters');
  });

  it('describes every parameter', () => {
    const operations = Object.values(document.paths ?? {}).flatMap((path) => Object.values(path ?? {}));
    const parameters = operations.flatMap(({ parameters = [] }) => parameters);
    expect(parameters.length).toBeGreaterThan(0);
    expect(parameters.filter(({ description }) => !/^[A-Z`]/.test(description ?? ''))).toEqual([]);
  });

  it('leads from a plant that was created to what can be done with its id', () => {
    const parameters = { id: '$request.body#/id' };
    expect(operation?.responses?.['200']).toHaveProperty('links', {
      getPlant: { operationId: 'getPlant', parameters },
      deletePlant: { operationId: 'deletePlant', parameters },
    });
    expect([contract.getPlant.path, contract.deletePlant.path]).toEqual(['/plants/:id', '/plants/:id']);
  });

  it.each([
    ['200', 'Plant', 'Idempotent-Replayed', 'RateLimit', 'RateLimit-Policy'],
    ['400', 'Error', 'RateLimit', 'RateLimit-Policy'],
    ['401', 'Error', 'WWW-Authenticate'],
    ['403', 'Error', 'WWW-Authenticate'],
    ['429', 'Error', 'RateLimit', 'RateLimit-Policy', 'Retry-After'],
    ['500', 'Error', 'RateLimit', 'RateLimit-Policy'],
    ['503', 'Error', 'RateLimit', 'RateLimit-Policy', 'Retry-After'],
  ])('describes the reply %s of createPlant with %s and its headers', (status, schema, ...headers) => {
    const response = operation?.responses?.[status];
    expect(response).toMatchObject({ content: jsonOf(schema), description: expect.stringMatching(/^[A-Z]/) });
    expect(Object.keys(Object(response).headers).sort()).toEqual(['X-Request-Id', ...headers].sort());
  });

  it('describes no other reply of it', () => {
    expect(Object.keys(operation?.responses ?? {})).toEqual([
      '200',
      '400',
      '401',
      '403',
      '429',
      '500',
      '503',
    ]);
  });
});

describe('the schemas', () => {
  const text = { type: 'string', description: expect.any(String) };

  it('have the fields of the API and no other', () => {
    const plant = { name: text, tag: text };
    const integer = { type: 'integer', description: expect.any(String) };
    const { NewPlant, Plant, Error: error, ...others } = document.components?.schemas ?? {};
    expect(NewPlant).toEqual(objectOf({ id: { ...integer, format: 'int64' }, ...plant }, ['id', 'name']));
    expect(Plant).toEqual(objectOf(plant, ['name']));
    // No example: mock servers send one of the schema with every status, rather than one of the status.
    expect(error).toEqual({
      ...objectOf({ error: { ...integer, format: 'int32' }, message: text }, ['error', 'message']),
      examples: undefined,
    });
    const time = { type: 'string', format: 'date-time', description: expect.any(String) };
    const idText = { type: 'string', pattern: '^(0|-?[1-9][0-9]{0,18})$', description: expect.any(String) };
    expect(others['StoredPlant']).toEqual(
      objectOf({ id: { ...integer, format: 'int64' }, idText, ...plant, addedAt: time }, [
        'id',
        'idText',
        'name',
      ]),
    );
    const listOf = (name: string) => ({ type: 'array', items: { $ref: `#/components/schemas/${name}` } });
    expect(others).toMatchObject({
      PlantPage: {
        properties: { plants: listOf('StoredPlant'), next: { type: 'string' } },
        required: ['plants'],
      },
      NewPlants: { properties: { plants: { ...listOf('NewPlant'), minItems: 1, maxItems: 1_000 } } },
      CreateResults: { properties: { results: listOf('CreateResult') } },
      CreateResult: {
        anyOf: [{ required: ['status', 'replayed'] }, { required: ['status', 'error', 'message'] }],
      },
    });
    expect(Object.keys(others)).toHaveLength(5);
  });

  it.each([
    ['NewPlant', NewPlantSchema],
    ['Plant', PlantSchema],
  ] as const)('%s has an example, and it is valid', (name, schema) => {
    const examples: unknown[] = Object(document.components?.schemas?.[name]).examples;
    expect(examples.map((example) => schema.safeParse(example).success)).toEqual([true]);
  });
});

describe('the examples of a failure', () => {
  it.each(['400', '401', '403', '429', '500', '503'])('%s: one of each error, each valid', (status) => {
    const expected = Object.entries<ErrorDefinition>(errors)
      .filter(([name, definition]) => definition.status === Number(status) && name !== 'batch_too_large')
      .map(([name, { error, meaning, example }]) => [
        name,
        { summary: meaning, value: ErrorSchema.parse({ error, message: example }) },
      ]);
    expect(expected.length).toBeGreaterThan(0);
    expect(operation?.responses?.[status]).toHaveProperty(
      ['content', 'application/json', 'examples'],
      Object.fromEntries(expected),
    );
  });
});

const plants = {
  method: 'POST',
  path: '/plants',
  body: z.object({ name: z.string() }),
  responses: { 200: z.object({ name: z.string() }), 400: ErrorSchema },
  metadata: { scope: 'create' },
} satisfies ScopedRoute;
const { body: _body, ...bodiless } = plants;
const texts: OperationTexts = {
  tag: 'plants',
  description: 'Creates a plant.',
  replies: {
    200: { description: 'The plant', headers: ['Idempotent-Replayed'] },
    400: { description: 'No' },
  },
};

describe('the paths of the document', () => {
  it('have each method of a path', () => {
    const paths = describePaths(
      { create: plants, list: { ...bodiless, method: 'GET' } },
      { create: texts, list: texts },
    );
    expect(Object.keys(paths['/plants'] ?? {})).toEqual(['post', 'get']);
    expect(paths['/plants']?.get).not.toHaveProperty('requestBody');
  });

  it('have the parameters of an operation, of whatever part of the request', () => {
    const { paths } = createDocument({
      openapi: '3.1.1',
      info: { title: 'Plants', version: '1.0.0' },
      paths: describePaths(
        {
          findLeaves: {
            ...bodiless,
            method: 'GET',
            path: '/plants/:plantId/leaves',
            pathParams: z.object({ plantId: Int64ParameterSchema }),
            query: z.object({ colour: z.string().optional() }),
            headers: { 'x-tenant': z.string() },
          },
        },
        { findLeaves: texts },
      ),
    });
    expect(paths?.['/plants/{plantId}/leaves']?.get?.parameters).toEqual([
      {
        ...{ in: 'path', name: 'plantId', required: true, description: expect.stringContaining('idText') },
        // As text: a generated client would otherwise pass a number that is not exact beyond 2^53.
        schema: {
          type: 'string',
          pattern: '^(0|-?[1-9][0-9]{0,18})$',
          examples: ['9007199254740993'],
          description: expect.any(String),
        },
      },
      { in: 'query', name: 'colour', schema: { type: 'string' } },
      { in: 'header', name: 'x-tenant', required: true, schema: { type: 'string' } },
    ]);
  });

  it('have no body for an operation that takes none', () => {
    const paths = describePaths({ drain: { ...plants, body: ContractNoBody } }, { drain: texts });
    expect(paths['/plants']?.post).not.toHaveProperty('requestBody');
  });

  it('describe each reply as its operation does, with its headers and errors', () => {
    const replies = {
      ...texts.replies,
      400: { description: 'The plant is not valid', errors: ['invalid_plant'] as const },
    };
    const paths = describePaths({ create: plants }, { create: { ...texts, replies } });
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
    const route = { ...plants, ...part } as ScopedRoute;
    expect(() => describePaths({ findPlant: route }, { findPlant: texts })).toThrow(
      /^findPlant: .*cannot describe/,
    );
  });

  it('are refused for two operations with one method and path', () => {
    const both = { createPlant: plants, addPlant: plants };
    expect(() => describePaths(both, { createPlant: texts, addPlant: texts })).toThrow(/^addPlant: another/);
  });
});

function jsonOf(schema: string) {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } };
}

function objectOf(properties: object, required: string[]) {
  return {
    type: 'object',
    properties,
    required,
    description: expect.any(String),
    examples: expect.any(Array),
  };
}
