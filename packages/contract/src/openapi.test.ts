import { readFileSync } from 'node:fs';
import { type AppRoute, ContractNoBody } from '@ts-rest/core';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createDocument } from 'zod-openapi';
import { contract } from './contract.js';
import { errorTexts } from './error-texts.js';
import { type ErrorName, errors } from './errors.js';

import { createOpenApiDocument } from './openapi.js';
import { exampleOf } from './openapi-examples.js';
import { describePaths, type Operation } from './openapi-paths.js';
import { ErrorSchema, NewPlantSchema, PlantSchema } from './schemas.js';
import { Int64ParameterSchema } from './value-schemas.js';

const pattern = '^(0|-?[1-9][0-9]{0,18})$';
const describeCreatePlant = () => createOpenApiDocument().paths?.['/plants']?.post;
const schemaOf = (body: unknown) => Object(body).content['application/json'].schema.$ref.split('/').at(-1);

describe('the document', () => {
  it('is printed in openapi.json', () => {
    const printed = readFileSync(new URL('../openapi.json', import.meta.url), 'utf8');
    expect(
      printed === `${JSON.stringify(createOpenApiDocument(), null, 2)}\n`,
      'openapi.json is out of date: run `pnpm --filter @plant-store/contract run print-openapi`',
    ).toBe(true);
  });

  it('has the operations of the contract and no other, each with its scope, and every parameter described', () => {
    const described = Object.entries(createOpenApiDocument().paths ?? {}).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId, ...operation }]) => {
        const scope = operation['x-required-scope'];
        expect(operation.security).toEqual([{ bearer: scope === undefined ? [] : [scope] }]);
        for (const { description } of operation.parameters ?? []) expect(description).toMatch(/^[A-Z`]/);
        return [operationId, method, path, scope];
      }),
    );
    const declared = Object.entries(contract).map(([name, { method, path, metadata }]) => {
      return [name, method.toLowerCase(), path.replace(/:(\w+)/g, '{$1}'), metadata.scope];
    });
    expect(described.sort()).toEqual(declared.sort());
  });

  it('has the request and the replies of createPlant', () => {
    const createPlant = describeCreatePlant();
    expect(createPlant).toHaveProperty('requestBody.required', true);
    expect(createPlant).not.toHaveProperty('parameters');
    expect(schemaOf(createPlant?.requestBody)).toBe('NewPlant');
    const replies = Object.entries(createPlant?.responses ?? {}).map(([status, response]) => {
      const { headers, description } = Object(response);
      expect(description).toMatch(/^[A-Z]/);
      return [status, schemaOf(response), ...Object.keys(headers)];
    });
    const limits = ['RateLimit', 'RateLimit-Policy'];
    expect(replies).toEqual([
      ['200', 'Plant', 'X-Request-Id', 'ETag', 'Idempotent-Replayed', ...limits],
      ['400', 'Error', 'X-Request-Id', ...limits],
      ['401', 'Error', 'X-Request-Id', 'WWW-Authenticate'],
      ['403', 'Error', 'X-Request-Id', 'WWW-Authenticate'],
      ['429', 'Error', 'X-Request-Id', 'Retry-After', ...limits],
      ['500', 'Error', 'X-Request-Id', ...limits],
      ['503', 'Error', 'X-Request-Id', 'Retry-After', ...limits],
    ]);
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

  it('has an absolute address, and no links, because tools turn them into scripts that fail', () => {
    const { servers } = createOpenApiDocument();
    expect(JSON.stringify(createOpenApiDocument())).not.toContain('"links"');
    expect(servers?.map(({ url }) => new URL(url).href)).toEqual(['http://127.0.0.1:3000/']);
  });

  it('has the schemas of the API, with an example of a plant, but not of an error, because each reply has its own', () => {
    const objectOf = (properties: object, required: string[], others = {}) =>
      expect.objectContaining({ type: 'object', properties, required, ...others });
    const text = { type: 'string', description: expect.any(String) };
    const integer = { type: 'integer', description: expect.any(String) };
    const plant = { name: text, tag: text };
    const { schemas } = createOpenApiDocument().components ?? {};
    expect(schemas).toMatchObject({
      NewPlant: objectOf(
        { id: { ...integer, format: 'int64' }, idText: { ...text, pattern }, ...plant },
        ['name'],
        {
          if: { required: ['idText'] },
          else: { required: ['id'] },
        },
      ),
      Plant: objectOf(plant, ['name']),
      Error: objectOf({ error: { ...integer, format: 'int32' }, message: text }, ['error', 'message']),
    });
    const examplesOf = (name: string): [unknown] => Object(schemas?.[name]).examples;
    expect(NewPlantSchema.safeParse(examplesOf('NewPlant')[0]).error).toBeUndefined();
    expect(PlantSchema.safeParse(examplesOf('Plant')[0]).error).toBeUndefined();
    expect(examplesOf('Error')).toBeUndefined();
  });

  const isOfOthers = (name: string) =>
    ['batch_too_large', 'precondition_required'].includes(name) ||
    /token_request|token_inactive|exceeds_issuer|cursor|^invalid_(?!plant|token$)/.test(name);

  it.each(['400', '401', '403', '429', '500', '503'])('has an example of each error of a %s', (status) => {
    const expected = (Object.keys(errors) as ErrorName[])
      .filter((name) => errors[name].status === Number(status) && !isOfOthers(name))
      .map((name) => {
        const { meaning, example } = errorTexts[name];
        return [name, { summary: meaning, value: { error: errors[name].error, message: example } }];
      });
    const { examples } = Object(describeCreatePlant()?.responses?.[status]).content['application/json'];
    expect(examples).toEqual(Object.fromEntries(expected));
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

  it('have the parameters of an operation, from every part of the request', () => {
    const findLeaves: Operation = {
      ...bodiless,
      method: 'GET',
      path: '/plants/:id/leaves',
      pathParams: z.object({ id: Int64ParameterSchema }),
      query: z.object({ colour: z.string().optional() }),
      headers: { 'if-match': z.string() },
      metadata: { scope: 'update', resource: 'plant', operation: 'update' },
    };
    const { paths } = createDocument({
      openapi: '3.1.0',
      info: { title: 'Plants', version: '1.0.0' },
      paths: describePaths({ findLeaves }),
    });
    expect(paths?.['/plants/{id}/leaves']?.get?.parameters).toMatchObject([
      // A string, because a generated client would otherwise pass a number that is not exact beyond 2^53.
      { in: 'path', name: 'id', required: true, example: '314159265', schema: { type: 'string', pattern } },
      // Tools that send it anyway must not invent a value.
      { in: 'query', name: 'colour', example: '', schema: { type: 'string' } },
      { in: 'header', name: 'if-match', required: true, example: '*', schema: { type: 'string' } },
    ]);
  });

  it('describe each reply in terms of its operation, with its headers and errors', () => {
    const responses = Object(describePaths({ create: plants })['/plants']?.post?.responses);
    expect(responses[200].description).toBe('The plant response: the plant is stored durably');
    expect(responses[400].description).toBe('The request is not valid; nothing was stored');
    expect(responses[200].headers).toHaveProperty('Idempotent-Replayed');
    expect(responses[400].headers).not.toHaveProperty('Idempotent-Replayed');
    expect(responses[400].content['application/json'].examples).toHaveProperty('invalid_plant');
  });

  const { 200: reply } = plants.responses;

  it.each<[string, Partial<AppRoute> | { body: typeof ContractNoBody; contentType?: string }]>([
    ['the parameters  in the path /plants/:id', { path: '/plants/:id' }],
    ['the path /plants/:id?', { path: '/plants/:id?' }],
    ['the path plants', { path: 'plants' }],
    ['the parameters id in the path /plants', { pathParams: z.object({ id: z.string() }) }],
    ['pathParams without a schema', { path: '/plants/:id', pathParams: null as never }],
    ['a query without a schema', { query: null as never }],
    ['the header x-tenant without a schema', { headers: { 'x-tenant': null as never } }],
    ['deprecated', { deprecated: true }],
    ['multipart/form-data', { contentType: 'multipart/form-data' }],
    ['a body without a schema', { body: null as never }],
    ['the reply 200 without a schema', { responses: { 200: ContractNoBody } }],
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
