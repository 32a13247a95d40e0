import type { Operation, RecordMetadata, RecordOperation } from './metadata.js';
import { hasBody } from './replies.js';
import { fieldsOf, filtersOf, severalOf } from './resource.js';
import { resources } from './resources.js';

/** An example request, as sent by tools that convert the document to a collection of requests. */
export interface ExampleRequest {
  readonly params?: object;
  readonly query?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/**
 * The id of the examples is unlikely to be in use, because running all requests deletes these records. It is below 2^53, because most tools
 * parse the document with floating-point numbers.
 */
const id = 314_159_265;
const batch = [id + 1, id + 2];

/** No token has this id, because running all requests must not revoke a token in use. */
const tokenId = 999_999_999;

/**
 * An example request of an operation. All succeed unchanged if sent in the order of the document: create, list, get, update and delete the
 * same record; except rotate and revoke, which need the id of a token.
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
  const [ofOne, ifMatch] = [{ params: { id } }, { 'if-match': '*' }];
  const ofMany = { body: { ids: batch.map(String) } };
  const requests: Readonly<Record<RecordOperation, ExampleRequest>> = {
    create: { body: { id, ...record, ...example } },
    createMany: { body: { [plural]: batch.map((each) => ({ id: each, ...record, ...example })) } },
    updateMany: {
      body: { [plural]: batch.map((each) => ({ id: each, ...record, ...example, ifMatch: '*' })) },
    },
    getMany: ofMany,
    deleteMany: ofMany,
    get: ofOne,
    update: { ...ofOne, headers: ifMatch, body: { ...record, ...example } },
    delete: { ...ofOne, headers: ifMatch },
    list: {
      query: {
        limit: 100,
        order: 'id',
        ...Object.fromEntries(
          filters.flatMap(([name]) => [
            [name, record[name]],
            [severalOf(name), [record[name]]],
          ]),
        ),
        ...(optional !== undefined && { without: optional }),
        ...(searched !== undefined && { q: searched.toLowerCase().replace(/\s.*/s, '') }),
        addedFrom: '2026-01-01T00:00:00.000Z',
        addedBefore: '2126-01-01T00:00:00.000Z',
        total: true,
      },
    },
    history: { ...ofOne, query: { limit: 100 } },
    count: { query: {} },
    changes: { query: { limit: 100, after: '0', wait: 0 } },
  };
  return requests[operation];
}
