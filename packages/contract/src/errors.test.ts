import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { contract } from './contract.js';
import { type ErrorDefinition, errors } from './errors.js';
import { ErrorSchema } from './schemas.js';

const definitions = Object.entries<ErrorDefinition>(errors);
const statuses = new Set(definitions.map(([, { status }]) => status));
/** A path or a method that is not served meets no operation. */
const statusesOutsideOperations = new Set([404, 405]);

describe('the registry', () => {
  it('keeps every number for good', () => {
    expect(Object.fromEntries(definitions.map(([name, { error }]) => [name, error]))).toEqual({
      bad_request: 40000,
      malformed_json: 40001,
      invalid_plant: 40002,
      id_taken: 40003,
      unsupported_content_type: 40004,
      body_too_large: 40005,
      batch_too_large: 40006,
      id_retired: 40007,
      missing_token: 40100,
      invalid_token: 40101,
      insufficient_scope: 40300,
      not_found: 40400,
      plant_not_found: 40401,
      method_not_allowed: 40500,
      rate_limited: 42900,
      internal_error: 50000,
      overloaded: 50300,
      database_unavailable: 50301,
      shutting_down: 50302,
      database_damaged: 50303,
      identity_provider_unavailable: 50304,
    });
  });

  it('gives each error a number of its own', () => {
    const numbers = definitions.map(([, { error }]) => error);
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  it.each(definitions)(
    '%s: the number is the status times 100 plus a serial, and an int32',
    (_, definition) => {
      const serial = definition.error - definition.status * 100;
      expect(serial).toSatisfy(Number.isInteger);
      expect(serial).toBeGreaterThanOrEqual(0);
      expect(serial).toBeLessThan(100);
      expect(definition.error | 0).toBe(definition.error);
    },
  );

  it.each(definitions)('%s: the name is snake_case', (name) => {
    expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
  });

  it.each(definitions)('%s: the example is an Error body', (_, { error, example }) => {
    expect(ErrorSchema.parse({ error, message: example })).toEqual({ error, message: example });
  });

  it.each(definitions)('%s: meaning and example are sentences', (_, { meaning, example }) => {
    expect(meaning).toMatch(/^[A-Z].+\.$/);
    expect(example).toMatch(/^[A-Z].+\.$/);
  });
});

describe.each(Object.entries(contract))('the replies of %s', (_, { responses }) => {
  const replyStatuses = Object.keys(responses).map(Number);

  it('cover every error that can meet an operation', () => {
    expect(replyStatuses).toEqual(
      expect.arrayContaining([...statuses].filter((status) => !statusesOutsideOperations.has(status))),
    );
  });

  it('hold no failure without an error in the registry', () => {
    for (const status of replyStatuses.filter((status) => status >= 400)) expect(statuses).toContain(status);
  });
});

describe('ErrorSchema', () => {
  it.each([
    ['a number beyond int32', { error: 2 ** 31, message: '' }],
    ['a fraction', { error: 400.5, message: '' }],
    ['a number as text', { error: '40000', message: '' }],
    ['no number', { message: '' }],
    ['no message', { error: 40000 }],
    ['a message that is no text', { error: 40000, message: null }],
  ])('rejects %s', (_, body) => {
    expect(ErrorSchema.safeParse(body).success).toBe(false);
  });
});

it('is listed completely in the page of the API, row by row', () => {
  const page = readFileSync(new URL('../../../docs/use/api.md', import.meta.url), 'utf8');
  const rows = definitions.map(
    ([name, { error, status, meaning }]) => `| ${error} | ${name} | ${status} | ${meaning} |`,
  );
  expect(page.split('\n').filter((line) => /^\| \d{5} \|/.test(line))).toEqual(rows);
});
