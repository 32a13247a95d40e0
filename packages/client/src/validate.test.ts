import { scopes } from '@plant-store/contract/access-token';
import { describe, expect, it } from 'vitest';
import { createExchange } from '../node_modules/@plant-store/contract/test/exchange.js';
import {
  type CasedOperation,
  operationCases,
} from '../node_modules/@plant-store/contract/test/operation-cases.js';
import type { OperationName } from './client.js';
import { createClient } from './create-client.js';
import { parseReply } from './parse-reply.js';
import { matchOperation } from './testing/answer.js';
import { createFakePlantStore } from './testing/create-fake-plant-store.js';
import { validateReply } from './validate.js';

const id = 9223372036854775807n;
const params = { id };

interface Validated {
  readonly operation: OperationName;
  readonly status: number;
  readonly body: unknown;
}

/** The replies to the cases of an operation, also those of other operations. */
async function repliesTo(name: CasedOperation): Promise<Validated[]> {
  const store = createFakePlantStore({ scopes });
  const replies: Validated[] = [];
  const exchange = createExchange({
    ...store,
    async fetch(url, init) {
      const response = await store.fetch(url, init);
      const operation = matchOperation(`${init.method}`, new URL(url).pathname)?.name;
      const text = await response.clone().text();
      const isComplete = init.method !== 'HEAD' && text.length < 2_000;
      if (operation !== undefined && isComplete)
        replies.push({
          operation,
          status: response.status,
          body: text === '' ? undefined : parseReply(text),
        });
      return response;
    },
  });
  for (const [, request] of operationCases[name]) await exchange(request);
  return replies;
}

const operations = Object.keys(operationCases) as CasedOperation[];

/** What the message of the error says, or nothing if the reply is valid. */
function explain(operation: OperationName, status: number, body: unknown): string | undefined {
  try {
    validateReply(operation, { status, body });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Copies of a value, each with one member at any depth replaced, and the path of that member. */
function* replaceEach(
  value: unknown,
  replacement: unknown,
  path: readonly string[] = [],
): Generator<[string, unknown]> {
  if (path.length > 0) yield [path.join('.'), replacement];
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    for (const [place, changed] of replaceEach(member, replacement, [...path, name]))
      yield [place, Object.assign(Array.isArray(value) ? [...value] : { ...value }, { [name]: changed })];
  }
}

describe.each(operations)('a reply of %s', (name) => {
  it('is valid, also with members of a later version, but not with a member of another type', async () => {
    const replies = await repliesTo(name);
    expect(replies.some(({ operation, status }) => operation === name && status < 300)).toBe(true);
    for (const { operation, status, body } of replies) {
      expect(explain(operation, status, body)).toBeUndefined();
      expect(explain(operation, status, body && { ...body, later: 'x' })).toBeUndefined();
      if (operation !== name || status > 299) continue;
      for (const [path, changed] of replaceEach(body, Symbol('other'))) {
        const message = explain(operation, status, changed) ?? path;
        expect(message).toContain(`The ${name} reply with status ${status} is not valid: body.${path} `);
        // No text of the reply.
        expect(message).not.toMatch(/other|A name|A tag|shop|pst_/);
      }
    }
  });

  it('that is an error is valid with a new number', () => {
    const body = { error: 40099, message: 'No.' };
    for (const status of [400, 401, 403, 429, 500, 503]) expect(explain(name, status, body)).toBeUndefined();
    expect(explain(name, 500, { error: 'Orchid' })).toBe(
      `The ${name} reply with status 500 is not valid: body.error must be of type number; body.message is required`,
    );
    expect(explain(name, 418, body)).toBe(
      `The ${name} reply with status 418 is not valid: the API does not define this status`,
    );
  });
});

it('a client that validates rejects a reply that is not valid', async () => {
  const store = createFakePlantStore({ plants: [{ id: 1, name: 'Rose' }] });
  const client = createClient({ ...store, validate: validateReply });
  expect(await client.getPlant({ params })).toMatchObject({ status: 404 });
  const one = { params: { id: 1 } };
  const { etag } = await client.getPlant(one);
  expect(await client.getPlant({ ...one, headers: { 'if-none-match': `${etag}` } })).toMatchObject({
    status: 304,
  });
  store.fail({ kind: 'status', status: 200, body: '{"id":1,"idText":"1","name":5}' });
  const rejected: unknown = await client.getPlant(one).catch((error: unknown) => error);
  expect(Object(rejected)).toMatchObject({
    name: 'UnexpectedResponseError',
    cause: { message: expect.stringContaining('body.name must be a string') },
  });
});

describe('the message', () => {
  it.each<[OperationName, unknown, string]>([
    ['listPlants', undefined, 'body is required'],
    ['createPlant', { name: 5 }, 'body.name must be a string'],
    ['createPlant', { name: 'Orchid\0' }, 'body.name must not contain the NUL character (U+0000)'],
    [
      'getPlant',
      { id: '7', idText: '07', addedAt: 'Orchid' },
      'body.id must be of type bigint; body.idText has a value that is not allowed; body.name is required; ' +
        'body.addedAt has a value that is not allowed',
    ],
    [
      'listChanges',
      { changes: [{ kind: 'created', id, idText: String(id) }], next: 'a' },
      'body.changes.0.plant is required',
    ],
    ['getOwnToken', { scopes: ['orchid'] }, `body.scopes.0 must be ${scopes.join(' or ')}`],
    [
      'getPlants',
      {
        results: [
          { status: 200, plant: { id, idText: String(id), name: 5 } },
          { status: 404, error: 'x' },
          { status: 201 },
          'Orchid',
        ],
      },
      'body.results.0.plant.name must be a string; body.results.0.etag is required; body.results.1.error must be of type number; ' +
        'body.results.1.message is required; body.results.2.status has a value that is not allowed; ' +
        'body.results.3 must be of type object',
    ],
  ])('for %s names each member that is wrong: %#', (operation, body, problems) => {
    expect(explain(operation, 200, body)).toBe(
      `The ${operation} reply with status 200 is not valid: ${problems}`,
    );
  });

  it('for a reply without a body says so', () => {
    const getPlant = (body: unknown) => explain('getPlant', 304, body);
    expect(getPlant(undefined)).toBeUndefined();
    expect(getPlant({})).toBe('The getPlant reply with status 304 is not valid: body must be empty');
  });
});
