import type { Operation, RecordMetadata, RecordOperation } from './metadata.js';
import { hasBody } from './replies.js';
import { fieldsOf, filtersOf, pluralFilterOf } from './resource.js';
import { resources } from './resources.js';

/** An example request. Tools such as Postman turn the document into a collection of requests that can be sent. */
export interface ExampleRequest {
  readonly params?: object;
  readonly query?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/**
 * The ID in the examples. It is unlikely to be in use, because sending all requests deletes this record. It is below 2^53, because most
 * tools parse the document with floating-point numbers.
 */
const id = 314_159_265;

const batchIds = [id + 1, id + 2];

/** An ID that no token has, because sending all requests must not revoke a token in use. */
const tokenId = 999_999_999;

/**
 * Returns an example request for an operation. In the order of the document, all requests succeed unchanged: they create, list, get,
 * update, and delete the same record. Only rotate and revoke need the ID of a real token.
 */
export function exampleOf(operation: Operation): ExampleRequest {
  const { metadata, path } = operation;
  if (metadata.resource !== undefined) return exampleOfRecords(metadata);
  return {
    ...(path.includes('/:id') && { params: { id: tokenId } }),
    ...(metadata.example && { [hasBody(operation) ? 'body' : 'query']: metadata.example }),
  };
}

function exampleOfRecords({ resource, operation, example }: RecordMetadata): ExampleRequest {
  const { plural } = resources[resource];
  const fields = fieldsOf(resources[resource]);
  const record = Object.fromEntries(fields.map(([name, field]) => [name, field.example]));
  const filters = filtersOf(resources[resource]);
  const [optional] = filters.flatMap(([name, { required }]) => (required ? [] : name));
  const [searched] = fields.flatMap(([, field]) => (field.search ? [String(field.example)] : []));
  const byId = { params: { id } };
  const ifMatch = { 'if-match': '*' };
  const byIds = { body: { ids: batchIds.map(String) } };
  const requests: Readonly<Record<RecordOperation, ExampleRequest>> = {
    create: { body: { id, ...record, ...example } },
    createMany: { body: { [plural]: batchIds.map((batchId) => ({ id: batchId, ...record, ...example })) } },
    updateMany: {
      body: { [plural]: batchIds.map((batchId) => ({ id: batchId, ...record, ...example, ifMatch: '*' })) },
    },
    getMany: byIds,
    deleteMany: byIds,
    get: byId,
    update: { ...byId, headers: ifMatch, body: { ...record, ...example } },
    delete: { ...byId, headers: ifMatch },
    list: {
      query: {
        limit: 100,
        order: 'id',
        ...Object.fromEntries(
          filters.flatMap(([name]) => [
            [name, record[name]],
            [pluralFilterOf(name), [record[name]]],
          ]),
        ),
        ...(optional !== undefined && { without: optional }),
        ...(searched !== undefined && { q: searched.toLowerCase().replace(/\s.*/s, '') }),
        addedFrom: '2026-01-01T00:00:00.000Z',
        addedBefore: '2126-01-01T00:00:00.000Z',
        total: true,
      },
    },
    history: { ...byId, query: { limit: 100 } },
    count: { query: {} },
    changes: { query: { limit: 100, after: '0', wait: 0 } },
  };
  return requests[operation];
}
