import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { contract } from '../contract.js';
import { ErrorSchema } from '../errors/error-schema.js';
import { type ErrorDefinition, errors } from '../errors/errors.js';
import { NewPlantSchema, PlantSchema } from '../plant.js';
import { createOpenApiDocument } from './create-document.js';

const document = createOpenApiDocument();
const operation = document.paths?.['/plants']?.post;

describe('openapi.json', () => {
  it('is the print of the document', () => {
    const printed = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8');
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
    expect(document.components?.schemas).toEqual({
      NewPlant: objectOf({ id: { ...integer, format: 'int64' }, ...plant }, ['id', 'name']),
      Plant: objectOf(plant, ['name']),
      // No example: mock servers send one of the schema with every status, rather than one of the status.
      Error: {
        ...objectOf({ error: { ...integer, format: 'int32' }, message: text }, ['error', 'message']),
        examples: undefined,
      },
    });
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
      .filter(([, definition]) => definition.status === Number(status))
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
