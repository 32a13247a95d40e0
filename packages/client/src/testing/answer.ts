import {
  contract,
  jsonShapeOf,
  type Metadata,
  type RecordOperation,
  subjectOfOperation,
} from '@plant-store/contract';
import type { Conditions } from '@plant-store/contract/conditions';
import { explainInvalid, messages } from '@plant-store/contract/messages';
import type { ChangeQuery, HistoryQuery } from '@plant-store/contract/operations';
import {
  allowedMethods,
  type MatchedOperation,
  matchPath,
  parseQuery,
} from '@plant-store/contract/request-target';
import type { ResourceName } from '@plant-store/contract/resources';
import {
  type AccessToken,
  bodyTooLarge,
  insufficientScope,
  type MemoryStore,
  malformedJson,
  methodNotAllowed,
  type Operations,
  parseJsonText,
  type RecordQuery,
  requireJson,
  ServiceError,
  type Store,
} from '@plant-store/records';
import * as z from 'zod';
import { type Outcome, type Reply, toReply } from './reply.js';
import { authenticate, type TokenOperation, type TokenState, tokenHandlersOf } from './tokens.js';

/** A request with its body read to the end. */
export interface ReadRequest {
  /** Names the request in its reply. */
  readonly id: string;
  readonly method: string;
  /** The path below the base address. */
  readonly path: string;
  /** The query, without its question mark. */
  readonly query: string;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** What a fake plant store has. */
export interface StoreState {
  readonly records: Readonly<Record<ResourceName, Records>>;
  readonly tokens: TokenState;
}

interface Records {
  readonly operations: Operations<object>;
  readonly store: MemoryStore<object>;
}

/** A request, as the schemas of its operation have validated it: a part without a schema is `undefined`. */
export interface ValidRequest {
  readonly params: { readonly id: bigint };
  readonly query: RecordQuery & ChangeQuery & HistoryQuery;
  /** As they were sent: conditions are among them. */
  readonly headers: Conditions;
  /** What the operation takes. */
  readonly body: never;
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
  const { method, path, headers } = request;
  const operations = matchPath(path);
  if (operations.length === 0) throw new ServiceError('not_found', messages.notFound(path));
  // Throws unless it is percent-encoded UTF-8.
  decodeURIComponent(path);
  const { name, params } = matchOperation(method, path) ?? {};
  if (name === undefined) throw methodNotAllowed(method, path, allowedMethods(operations));
  const operation: ContractOperation = contract[name];
  const { scope, resource } = operation.metadata;
  const own = await authenticate(headers, tokens);
  if (scope !== undefined && !own.scopes.includes(scope)) throw insufficientScope(scope);
  const valid = validate(operation, params, request);
  if (resource === undefined) return tokenHandlersOf(tokens, own)[name as TokenOperation](valid);
  return handlersOf(records[resource], own, operation.metadata.field)[operation.metadata.operation](valid);
}

/** Validates a request by the schemas of its operation. A part without a schema is not read. */
function validate({ metadata, ...schemas }: ContractOperation, params: unknown, request: ReadRequest) {
  const headers = Object.fromEntries(request.headers);
  const json = schemas.body && readJson(request, schemas.body);
  const read = {
    path: schemas.pathParams?.safeParse(params),
    query: schemas.query?.safeParse(parseQuery(request.query)),
    headers: z.object(schemas.headers).safeParse(headers),
    body: schemas.body?.safeParse(json),
  };
  if (Object.values(read).some((part) => part?.success === false)) {
    const parts = Object.entries(read).map(([part, result]) => [part, result?.error?.issues]);
    const { errorName, message } = explainInvalid(Object.fromEntries(parts), subjectOfOperation(metadata));
    throw new ServiceError(errorName, message);
  }
  const valid = { params: read.path?.data, query: read.query?.data, headers, body: read.body?.data };
  // What each schema gives, by its own type; the compiler cannot follow it through the optional parts.
  return valid as unknown as ValidRequest;
}

/** What the contract has of an operation. */
interface ContractOperation {
  readonly metadata: Metadata;
  readonly pathParams?: z.ZodType;
  readonly query?: z.ZodType;
  readonly headers?: z.ZodRawShape;
  readonly body?: z.ZodType;
}

/** The operation that a request names, if any. GET serves HEAD. */
export function matchOperation(
  method: string,
  path: string,
): MatchedOperation<keyof typeof contract> | undefined {
  const servedBy = method === 'HEAD' ? 'GET' : method;
  return matchPath(path).find((operation) => operation.method === servedBy);
}

/** What the service takes by default, in bytes. */
const bodyLimitBytes = 1024 * 1024;

function readJson({ headers, body }: ReadRequest, schema: z.ZodType): unknown {
  requireJson(headers.get('content-type'), headers.get('content-encoding'));
  if (body.length > bodyLimitBytes) throw bodyTooLarge(bodyLimitBytes);
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
    return parseJsonText(text, jsonShapeOf(schema));
  } catch (error) {
    throw malformedJson(error instanceof SyntaxError ? error : new SyntaxError('it is not in UTF-8'));
  }
}

/** A fake examines everything that it has. */
const unlimited = { records: Infinity, bytes: Infinity };

/** How the operations on the records of a resource answer a valid request. */
function handlersOf(
  { operations, store: all }: Records,
  { id: tokenId, scopes }: AccessToken,
  field = '',
): Readonly<Record<RecordOperation, (request: ValidRequest) => Promise<Outcome>>> {
  const { plural } = operations.resource;
  const by = `${tokenId}`;
  const store: Store<object> = {
    ...all,
    create: (record) => all.create({ ...record, addedBy: by }),
    change: (change) => all.change({ ...change, by }),
  };
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
    async history({ params: { id }, query: { limit, after } }) {
      const showsDoer = scopes.includes('admin');
      const body = await operations.history(store, id, { limit, after }, unlimited, showsDoer);
      return { status: 200, body };
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
