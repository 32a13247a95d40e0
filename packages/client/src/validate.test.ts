import { scopes } from '@plant-store/contract/access-token';
import { describe, expect, it } from 'vitest';
import type { CasedOperation } from '../node_modules/@plant-store/contract/test/operation-cases.js';
import type { Client, OperationName } from './client.js';
import { createClient } from './create-client.js';
import { createFakePlantStore } from './testing/create-fake-plant-store.js';
import { validateReply } from './validate.js';

const id = 9223372036854775807n;
const params = { id };
const ids = { ids: [String(id), '2'] };
const token = { name: 'web-shop', scopes: ['read'] as 'read'[], expiresAt: '2999-01-01T00:00:00Z' };

/** A successful call of each operation. */
const calls: Record<CasedOperation, (client: Client) => Promise<{ status: number; body: unknown }>> = {
  createPlant: (client) => client.createPlant({ body: { id: 3, name: 'Orchid', tag: 'orchid' } }),
  getPlant: (client) => client.getPlant({ params }),
  listPlants: (client) => client.listPlants({ query: { limit: 1 } }),
  createPlants: (client) =>
    client.createPlants({ body: { plants: [{ id: 4, name: 'a' }, { id: 5 } as never] } }),
  getPlants: (client) => client.getPlants({ body: ids }),
  updatePlants: (client) =>
    client.updatePlants({ body: { plants: [{ id: 4, name: 'b', ifMatch: '*' }, { id: 5 } as never] } }),
  deletePlants: (client) => client.deletePlants({ body: { ...ids, ifMatch: ids.ids.map(() => '"x"') } }),
  updatePlant: (client) =>
    client.updatePlant({ params, headers: { 'if-match': '*' }, body: { name: 'Orchid' } }),
  deletePlant: (client) => client.deletePlant({ params }),
  listTags: (client) => client.listTags(),
  listChanges: (client) => client.listChanges({ query: { after: '0' } }),
  async getPlantHistory(client) {
    await client.updatePlant({ params, headers: { 'if-match': '*' }, body: { name: 'Orchid' } });
    return client.getPlantHistory({ params });
  },
  getOwnToken: (client) => client.getOwnToken(),
  listTokens: (client) => client.listTokens(),
  createToken: (client) => client.createToken({ body: { ...token, ratePerMinute: 600 } }),
  rotateToken: async (client) => {
    const { body } = await client.createToken({ body: token });
    return client.rotateToken({ params: { id: 'id' in body ? body.id : 0n }, body: { overlapSeconds: 60 } });
  },
  revokeToken: async (client) => {
    const { body } = await client.createToken({ body: token });
    return client.revokeToken({ params: { id: 'id' in body ? body.id : 0n } });
  },
  async listAudit(client) {
    const { body } = await client.createToken({ body: { ...token, ratePerMinute: 600 } });
    await client.rotateToken({ params: { id: 'id' in body ? body.id : 0n }, body: { overlapSeconds: 60 } });
    return client.listAudit({ query: { limit: 1 } });
  },
};

const operations = Object.keys(calls) as CasedOperation[];
const open = () => {
  const plants = [
    { id, name: 'Orchid', tag: 'orchid' },
    { id: 6, name: 'Orchid' },
  ];
  return createClient(createFakePlantStore({ plants, scopes }));
};

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

describe.each(operations)('a reply of %s', (operation) => {
  it('of the service is valid, also with members of a later version', async () => {
    const { status, body } = await calls[operation](open());
    expect(status).toBeLessThan(300);
    expect(explain(operation, status, body)).toBeUndefined();
    const later = body && { ...body, later: 'x' };
    expect(explain(operation, status, later)).toBeUndefined();
  });

  it('is not valid with a member of another type, and the message names it without a text of the reply', async () => {
    const { status, body } = await calls[operation](open());
    for (const [path, changed] of replaceEach(body, Symbol('Orchid'))) {
      const message = explain(operation, status, changed) ?? path;
      expect(message).toContain(
        `The reply of ${operation} with status ${status} is not valid: body.${path} `,
      );
      expect(message).not.toMatch(/orchid|web-shop|pst_/i);
    }
  });

  it('that is an error is valid with a new number', () => {
    const body = { error: 40099, message: 'No.' };
    for (const status of [400, 401, 403, 429, 500, 503])
      expect(explain(operation, status, body)).toBeUndefined();
    expect(explain(operation, 500, { error: 'Orchid' })).toBe(
      `The reply of ${operation} with status 500 is not valid: body.error must be of type number; body.message is required`,
    );
    expect(explain(operation, 418, body)).toBe(
      `The reply of ${operation} with status 418 is not valid: the API does not define this status`,
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
    ['createPlant', { name: 'Orchid\0' }, 'body.name must not contain the character NUL (U+0000)'],
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
      `The reply of ${operation} with status 200 is not valid: ${problems}`,
    );
  });

  it('for a reply without a body says so', () => {
    const getPlant = (body: unknown) => explain('getPlant', 304, body);
    expect(getPlant(undefined)).toBeUndefined();
    expect(getPlant({})).toBe('The reply of getPlant with status 304 is not valid: body must be empty');
  });
});
