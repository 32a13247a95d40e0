import { contract, type Metadata, type RecordOperation } from '@plant-store/contract';
import { messages } from '@plant-store/contract/messages';
import type { ResourceName } from '@plant-store/contract/resources';
import { type MemoryStore, type Operations, ServiceError } from '@plant-store/records';
import { findOperation, type ReadRequest, readRequest, type ValidRequest } from './read-request.js';
import { type Outcome, type Reply, toReply } from './reply.js';
import { answerAboutTokens, authenticate, requireScope, type TokenState } from './tokens.js';

/** What a fake plant store has of a resource. */
export interface Records {
  readonly operations: Operations<object>;
  readonly store: MemoryStore<object>;
}

/** What a fake plant store has. */
export interface StoreState {
  readonly records: Readonly<Record<ResourceName, Records>>;
  readonly tokens: TokenState;
}

/**
 * Answers a request as the service does. Errors are reported in its order: path, method, token, scope, content type, size,
 * JSON, shape, and then those of the operation.
 */
export async function answer(request: ReadRequest, state: StoreState): Promise<Reply> {
  const outcome = await handle(request, state).catch((error: unknown) => {
    if (error instanceof URIError) return new ServiceError('bad_request', messages.invalidPath);
    if (error instanceof ServiceError) return error;
    throw error;
  });
  const reply = toReply(request.id, outcome);
  return request.method === 'HEAD' ? { ...reply, body: '' } : reply;
}

async function handle(request: ReadRequest, { records, tokens }: StoreState): Promise<Outcome> {
  const found = findOperation(request);
  const { metadata }: { readonly metadata: Metadata } = contract[found.name];
  const own = authenticate(request.headers, tokens);
  requireScope(metadata, own);
  const valid = readRequest(found, request);
  if (metadata.resource === undefined) return answerAboutTokens(found.name, valid, tokens, own);
  return handlersOf(records[metadata.resource], metadata.field)[metadata.operation](valid);
}

/** A fake examines everything that it has. */
const unlimited = { records: Infinity, bytes: Infinity };

/** How the operations on the records of a resource answer a valid request. */
function handlersOf(
  { operations, store }: Records,
  field = '',
): Readonly<Record<RecordOperation, (request: ValidRequest) => Promise<Outcome>>> {
  const { plural } = operations.resource;
  const batchOf = (body: Readonly<Record<string, readonly unknown[]>>, name = 'ids') => ({
    items: body[name] ?? [],
  });
  return {
    create: ({ body }) => operations.create(store, body),
    createMany: ({ body }) => toResults(operations.createMany(store, batchOf(body, plural))),
    get: ({ params: { id }, headers }) => operations.get(store, id, headers),
    getMany: ({ body }) => toResults(operations.getMany(store, batchOf(body))),
    update: ({ params: { id }, headers, body }) => operations.update(store, id, body, headers),
    delete: ({ params: { id }, headers }) => operations.delete(store, id, headers),
    deleteMany: ({ body }) => toResults(operations.deleteMany(store, batchOf(body))),
    async list({ query }) {
      const { records, next } = await operations.list(store, query, unlimited);
      return { status: 200, body: { [plural]: records.map(operations.show), next } };
    },
    async count({ query }) {
      const { counts, next } = await operations.count(store, field, query, unlimited);
      const values = counts.map(([value, count]) => ({ [field]: value, [plural]: count }));
      return { status: 200, body: { [`${field}s`]: values, next } };
    },
    async changes({ query: { limit, after } }) {
      const start = after ?? (await operations.latest(store));
      const { changes, next } = await operations.changes(store, { limit, after: start }, unlimited);
      return { status: 200, body: { changes, next } };
    },
  };
}

/** The reply to a batch, in which an error is the result of its item. */
async function toResults(results: Promise<readonly (object | ServiceError)[]>): Promise<Outcome> {
  const shown = (await results).map((result) =>
    result instanceof ServiceError ? { status: result.status, ...result.body } : result,
  );
  return { status: 200, body: { results: shown } };
}
