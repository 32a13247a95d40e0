import {
  contract,
  jsonShapeOf,
  type Metadata,
  type RecordOperation,
  subjectOfOperation,
} from '@plant-store/contract';
import type { Conditions } from '@plant-store/contract/conditions';
import { messages } from '@plant-store/contract/messages';
import type { AuditQuery, ChangeQuery } from '@plant-store/contract/operations';
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
  type Change,
  insufficientScope,
  invalidRequest,
  type MemoryStore,
  malformedJson,
  methodNotAllowed,
  type New,
  type Operations,
  parseJsonText,
  type RecordQuery,
  requireJson,
  ServiceError,
  type Shown,
  showResults,
} from '@plant-store/records';
import * as z from 'zod';
import { type Outcome, type Reply, toReply } from './reply.js';
import {
  authenticate,
  type MemoryTokens,
  type TokenOperation,
  tokenHandlersOf,
  type ValidRequest,
} from './tokens.js';

/** A request whose body was read completely. */
export interface ReadRequest {
  readonly id: string;
  readonly method: string;
  /** The path below the base URL. */
  readonly path: string;
  /** The query, without its question mark. */
  readonly query: string;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

export interface StoreState {
  readonly records: Readonly<Record<ResourceName, Records>>;
  readonly tokens: MemoryTokens;
}

interface Records {
  readonly operations: Operations<object>;
  readonly store: MemoryStore<object>;
}

/** A request to an operation on records. A part without a schema is `undefined`. */
interface RecordRequest extends ValidRequest {
  readonly query: RecordQuery & ChangeQuery & AuditQuery;
  /** The headers as sent, including conditions. */
  readonly headers: Conditions;
}

/**
 * Answers a request as the service does. Errors are reported in the same order: path, method, token, scope, content type, size, JSON,
 * shape, and then those of the operation.
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
  // Throws a `URIError` unless the path is percent-encoded UTF-8.
  decodeURIComponent(path);
  const { name, params } = matchOperation(method, path) ?? {};
  if (name === undefined) throw methodNotAllowed(method, path, allowedMethods(operations));
  const operation: ContractOperation = contract[name];
  const { scope, resource } = operation.metadata;
  const token = authenticate(headers, tokens);
  if (scope !== undefined && !token.scopes.includes(scope)) throw insufficientScope(scope);
  const valid = validate(operation, params, request);
  if (resource === undefined) return tokenHandlersOf(tokens, token)[name as TokenOperation](valid);
  return handlersOf(records[resource], token, operation.metadata.field)[operation.metadata.operation](valid);
}

/** Validates a request against the schemas of its operation. Ignores parts without a schema. */
function validate({ metadata, ...schemas }: ContractOperation, params: unknown, request: ReadRequest) {
  const headers = Object.fromEntries(request.headers);
  const json = schemas.body && readJson(request, schemas.body);
  const results = {
    path: schemas.pathParams?.safeParse(params),
    query: schemas.query?.safeParse(parseQuery(request.query)),
    headers: z.object(schemas.headers).safeParse(headers),
    body: schemas.body?.safeParse(json),
  };
  if (Object.values(results).some((part) => part?.success === false)) {
    const parts = Object.entries(results).map(([part, result]) => [part, result?.error?.issues]);
    throw invalidRequest(Object.fromEntries(parts), subjectOfOperation(metadata));
  }
  const valid = { params: results.path?.data, query: results.query?.data, headers, body: results.body?.data };
  // The schemas determine the types, but the compiler cannot infer them through the optional parts.
  return valid as unknown as RecordRequest;
}

interface ContractOperation {
  readonly metadata: Metadata;
  readonly pathParams?: z.ZodType;
  readonly query?: z.ZodType;
  readonly headers?: z.ZodRawShape;
  readonly body?: z.ZodType;
}

/** Finds the operation of a request. GET also serves HEAD. */
export function matchOperation(
  method: string,
  path: string,
): MatchedOperation<keyof typeof contract> | undefined {
  const servedBy = method === 'HEAD' ? 'GET' : method;
  return matchPath(path).find((operation) => operation.method === servedBy);
}

/** The service's default limit. */
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

/** The fake does not divide a read into parts, so it has no limits. */
const unlimited = { limits: () => ({ bytes: Infinity }) };

function handlersOf(
  { operations, store }: Records,
  { id: tokenId, scopes }: AccessToken,
  field = '',
): Readonly<Record<RecordOperation, (request: RecordRequest) => Promise<Outcome>>> {
  const { plural } = operations.resource;
  const by = String(tokenId);
  const writableStore = {
    create: (record: New<object>) => store.create({ ...record, addedBy: by }),
    change: (change: Change<object>) => store.change({ ...change, by }),
  };
  const withPeopleForAdmin = async (shown: readonly Shown<object>[]) =>
    scopes.includes('admin') ? await operations.showPeople(store, shown) : shown;
  const withPeopleInEach = async (items: readonly object[]) =>
    scopes.includes('admin') ? await operations.showPeopleInEach(store, items) : items;
  const batchOf = (body: Readonly<Record<string, readonly unknown[]>>, member = 'ids') => ({
    items: body[member] ?? [],
  });
  const toResults = async (results: Promise<readonly (object | ServiceError)[]>) => ({
    status: 200,
    body: showResults(await results),
  });
  return {
    create: ({ body }) => operations.create(writableStore, body),
    createMany: ({ body }) => toResults(operations.createMany(writableStore, batchOf(body, plural))),
    async get({ params: { id }, headers }) {
      const reply = await operations.get(store, id, headers);
      return reply.status === 200 ? { ...reply, body: (await withPeopleForAdmin([reply.body]))[0] } : reply;
    },
    getMany: ({ body }) => toResults(operations.getMany(store, batchOf(body)).then(withPeopleInEach)),
    update: ({ params: { id }, headers, body }) => operations.update(writableStore, id, body, headers),
    updateMany: ({ body }) => toResults(operations.updateMany(writableStore, batchOf(body, plural))),
    delete: ({ params: { id }, headers }) => operations.delete(writableStore, id, headers),
    deleteMany: ({ body }) => toResults(operations.deleteMany(writableStore, batchOf(body), body['ifMatch'])),
    async list({ query }) {
      const page = await operations.list(store, query, unlimited);
      const shown = await withPeopleForAdmin(page.records.map(operations.show));
      return { status: 200, body: operations.showPage(page, query, shown) };
    },
    async count({ query }) {
      const { body } = await operations.count(store, field, query);
      return { status: 200, body };
    },
    async history({ params: { id }, query: { limit, after } }) {
      const showsPeople = scopes.includes('admin');
      const body = await operations.history(store, id, { limit, after }, unlimited, showsPeople);
      return { status: 200, body };
    },
    async changes({ query: { limit, after } }) {
      const start = after ?? (await operations.latest(store));
      const { changes, next } = await operations.changes(store, { limit, after: start }, unlimited);
      return { status: 200, body: { changes: await withPeopleInEach(changes), next } };
    },
  };
}
