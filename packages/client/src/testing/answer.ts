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
  type MemoryTokens,
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
import { authenticate, type TokenOperation, tokenHandlersOf, type ValidRequest } from './tokens.js';

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

/** The state of a fake plant store. */
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
  // Throws unless it is percent-encoded UTF-8.
  decodeURIComponent(path);
  const { name, params } = matchOperation(method, path) ?? {};
  if (name === undefined) throw methodNotAllowed(method, path, allowedMethods(operations));
  const operation: ContractOperation = contract[name];
  const { scope, resource } = operation.metadata;
  const own = authenticate(headers, tokens);
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
    throw invalidRequest(Object.fromEntries(parts), subjectOfOperation(metadata));
  }
  const valid = { params: read.path?.data, query: read.query?.data, headers, body: read.body?.data };
  // The types are those of the schemas; the compiler cannot infer them through the optional parts.
  return valid as unknown as RecordRequest;
}

/** An operation as the contract defines it. */
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

/** The default limit of the service, in bytes. */
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

/** A fake reads everything at once. */
const unlimited = { limits: () => ({ bytes: Infinity }) };

/** How the operations on the records of a resource answer a valid request. */
function handlersOf(
  { operations, store }: Records,
  { id: tokenId, scopes }: AccessToken,
  field = '',
): Readonly<Record<RecordOperation, (request: RecordRequest) => Promise<Outcome>>> {
  const { name, plural } = operations.resource;
  const by = String(tokenId);
  const written = {
    create: (record: New<object>) => store.create({ ...record, addedBy: by }),
    change: (change: Change<object>) => store.change({ ...change, by }),
  };
  const showTo = async (shown: readonly Shown<object>[]) =>
    scopes.includes('admin') ? await operations.showPeople(store, shown) : shown;
  const showNamed = <One extends object>(all: readonly One[]) =>
    Promise.all(
      all.map(async (one) => {
        const record = (one as { readonly [Each in string]?: Shown<object> })[name];
        return record === undefined ? one : { ...one, [name]: (await showTo([record]))[0] };
      }),
    );
  const batchOf = (body: Readonly<Record<string, readonly unknown[]>>, name = 'ids') => ({
    items: body[name] ?? [],
  });
  const toResults = async (results: Promise<readonly (object | ServiceError)[]>) => ({
    status: 200,
    body: showResults(await results),
  });
  return {
    create: ({ body }) => operations.create(written, body),
    createMany: ({ body }) => toResults(operations.createMany(written, batchOf(body, plural))),
    async get({ params: { id }, headers }) {
      const reply = await operations.get(store, id, headers);
      return reply.status === 200 ? { ...reply, body: (await showTo([reply.body]))[0] } : reply;
    },
    getMany: ({ body }) => toResults(operations.getMany(store, batchOf(body)).then(showNamed)),
    update: ({ params: { id }, headers, body }) => operations.update(written, id, body, headers),
    updateMany: ({ body }) => toResults(operations.updateMany(written, batchOf(body, plural))),
    delete: ({ params: { id }, headers }) => operations.delete(written, id, headers),
    deleteMany: ({ body }) => toResults(operations.deleteMany(written, batchOf(body), body['ifMatch'])),
    async list({ query }) {
      const page = await operations.list(store, query, unlimited);
      const shown = await showTo(page.records.map(operations.show));
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
      return { status: 200, body: { changes: await showNamed(changes), next } };
    },
  };
}
