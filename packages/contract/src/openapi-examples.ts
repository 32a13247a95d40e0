import type { Operations } from './operations.js';

/** A request as an example: what a tool sends that makes a collection of requests from the document. */
export type ExampleRequest<
  Operation = { readonly params?: object; readonly query?: object; body?: unknown },
> = Omit<Operation, 'responses' | 'headers'> & { readonly headers?: Readonly<Record<string, string>> };

/**
 * The ids of the examples are unlikely to be in use, since a run of all requests deletes these plants. They are below 2^53, since most
 * tools parse the document with floating-point numbers.
 */
const id = 314_159_265;
const batch = [id + 1, id + 2];
const ids = batch.map(String);

const plant = { name: 'Monstera deliciosa', tag: 'houseplant' };

/** No token has this id. A run of all requests must not end a token in use. */
const tokenId = 999_999_999;

/**
 * A request of each operation that succeeds as it is, if all are sent in the order of the document: create, list, get, update and delete
 * the same plant. Rotate and revoke are the exception, which need the id of a token.
 */
export const examples: { readonly [Name in keyof Operations]: ExampleRequest<Operations[Name]> } = {
  createPlant: { body: { id, ...plant } },
  getPlant: { params: { id } },
  listPlants: {
    query: {
      limit: 100,
      order: 'id',
      tag: plant.tag,
      q: 'monstera',
      addedFrom: '2026-01-01T00:00:00.000Z',
      addedBefore: '2126-01-01T00:00:00.000Z',
    },
  },
  createPlants: { body: { plants: batch.map((batchId) => ({ id: batchId, ...plant })) } },
  getPlants: { body: { ids } },
  deletePlants: { body: { ids } },
  updatePlant: {
    params: { id },
    headers: { 'if-match': '*' },
    body: { ...plant, name: 'Monstera adansonii' },
  },
  deletePlant: { params: { id }, headers: { 'if-match': '*' } },
  listTags: { query: {} },
  listChanges: { query: { limit: 100, after: '0', wait: 0 } },
  getOwnToken: {},
  listTokens: {},
  createToken: { body: { name: 'web-shop', scopes: ['read'] } },
  rotateToken: { params: { id: tokenId }, body: { overlapSeconds: 86_400 } },
  revokeToken: { params: { id: tokenId } },
};
