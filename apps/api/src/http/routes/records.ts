import type {
  ChangeQuery,
  HistoryQuery,
  Metadata,
  RecordMetadata,
  RecordOperation,
} from '@plant-store/contract';
import type { Conditions } from '@plant-store/contract/conditions';
import type { ResourceName } from '@plant-store/contract/resources';
import {
  type Batch,
  type New,
  type Operations,
  type RecordPeople,
  type RecordQuery,
  type Reply,
  ServiceError,
  type Shown,
  type Store,
  showResults,
} from '@plant-store/records';
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import type { TokenVerifier } from '../../auth/token-service.js';
import { overloadErrors } from '../../errors/service-error.js';
import { operationsByName, paceOf } from '../../resources.js';
import type { ActiveCallers, Caller } from '../../runtime/callers.js';
import { createListGate, type ListGate, type Turn } from '../../runtime/list-gate.js';
import { costPerTurn, type Turns } from '../../runtime/turns.js';
import type { CallerMemory } from '../caller-memory.js';
import { shareBytes, shareText } from '../fast-path.js';
import { callerOf, watchToken } from '../middleware/bearer-auth.js';
import type { CountBatch } from '../middleware/rate-limit.js';
import { setCommonHeaders } from '../security-headers.js';
import { createBatchedFind, type RecordFinder } from './create-batched-find.js';
import { createFollowChanges } from './follow-changes.js';

/** The queue that operations write to. It groups concurrent writes. */
export interface RecordQueue {
  /** Returns the functions that queue the writes of a caller. */
  writerOf(resource: string, caller: Caller): Pick<Store<object>, 'create' | 'change'>;
  /** Whether it would reject another record of the caller. */
  isFull(caller: Caller): boolean;
  /** The recent share of time in which a record waited, from 0 to 1. */
  readonly waitingShare: () => number;
}

export type RecordReader = RecordFinder &
  Pick<Store<object>, 'list' | 'countAll' | 'countValues' | 'listChanges' | 'lastChange' | 'listStates'> & {
    findHistory(ids: readonly bigint[]): Promise<readonly RecordPeople<object>[]>;
  };

export interface RecordDependencies {
  readonly queue: RecordQueue;
  readonly stores: Readonly<Record<ResourceName, RecordReader>>;
  /** Verifies the tokens of waiting requests. */
  readonly accessTokens: TokenVerifier;
  readonly concurrentLists: number;
  readonly memory: CallerMemory;
  readonly callers: ActiveCallers;
  /** Schedules work on the event loop, including large batches and bodies. */
  readonly turns: Turns;
  /** Counts the records of a batch for the rate limit, if there is one. */
  readonly countBatch?: CountBatch | undefined;
  readonly log: Logger;
  /** Aborted once load balancers should send no more requests. */
  readonly draining: AbortSignal;
}

/** A request after validation by the schemas of its operation. */
interface Call {
  readonly req: Request;
  readonly res: Response;
}
interface CallOfMany extends Call {
  readonly body: Readonly<Record<string, readonly unknown[]>>;
}
interface CallOfOne extends Call {
  readonly params: { readonly id: bigint };
  readonly headers: Conditions;
}

const reads: ReadonlySet<RecordOperation> = new Set([
  'get',
  'getMany',
  'list',
  'count',
  'changes',
  'history',
]);

export const isWrite = ({ operation }: Metadata): boolean => operation !== undefined && !reads.has(operation);

export type RecordHandler = (call: never) => Promise<{ readonly status: number; readonly body: unknown }>;

export function createRecordHandlers(
  dependencies: RecordDependencies,
): (metadata: RecordMetadata) => RecordHandler {
  const { queue, memory, callers } = dependencies;
  const lists = createListGate({
    concurrency: dependencies.concurrentLists,
    callers,
    hasRoom: memory.hasRoom,
    waitingShare: queue.waitingShare,
  });
  const answerBatch = createBatchHandler(dependencies);
  const handlersOf = (name: ResourceName) => createHandlers(name, { ...dependencies, lists, answerBatch });
  const byResource = new Map<string, ReturnType<typeof handlersOf>>();
  return ({ resource, operation, field }) => {
    const handlers = byResource.get(resource) ?? handlersOf(resource);
    byResource.set(resource, handlers);
    return operation === 'count' ? handlers.count(field) : handlers[operation];
  };
}

interface Shared extends RecordDependencies {
  readonly lists: ListGate;
  readonly answerBatch: ReturnType<typeof createBatchHandler>;
}

function createHandlers(
  name: ResourceName,
  { queue, stores, lists, answerBatch, accessTokens, draining }: Shared,
) {
  const store = stores[name];
  const operations = operationsByName[name] as unknown as Operations<object>;
  const { plural } = operations.resource;
  const recordIdName = `${name}Id` as const;
  const find = createBatchedFind(store);
  const finderOf = (caller: Caller) => ({ find: (id: bigint) => find(id, caller) });
  const followChanges = createFollowChanges({
    latest: () => operations.latest(store),
    read: (query, turn) => operations.changes(store, query, paceOf(turn)),
    lists,
    compose: shareBytes,
    draining,
  });

  /** Records as shown to a token. A token that manages tokens also sees the authors, which costs an extra read. */
  const showTo = async (locals: Express.Locals, shown: readonly Shown<object>[]) =>
    seesPeople(locals) ? await operations.showPeople(store, shown) : shown;

  /** As `showTo`, for objects that have a record under the name of its resource. */
  const showNamedTo = async <One extends object>(locals: Express.Locals, all: readonly One[]) =>
    seesPeople(locals) ? await operations.showPeopleInEach(store, all) : all;

  /** Reads a list once it is its turn, if its client is still connected. Lists with the same key share a read. */
  const readList = <Read extends { readonly readMs?: number | undefined }>(
    res: Response,
    read: (turn: Turn) => Promise<Read>,
    of?: unknown,
  ) => lists.read(callerOf(res.locals), { of, isWanted: () => !res.closed, read });

  /** Notes for the log which record a request is about, and returns its caller. */
  function begin({ locals }: Response, id: bigint): Caller {
    locals.loggedId = { [recordIdName]: id.toString() };
    return callerOf(locals);
  }

  return {
    async create({ body, res }: Call & { readonly body: New<object> }) {
      return complete(res, await operations.create(queue.writerOf(name, begin(res, body.id)), body));
    },
    async get({ params: { id }, headers, res }: CallOfOne) {
      const reply = await operations.get(finderOf(begin(res, id)), id, headers);
      if (reply.status !== 200) return complete(res, reply);
      const [body = reply.body] = await showTo(res.locals, [reply.body]);
      return complete(res, { ...reply, body });
    },
    async update({ params: { id }, headers, body, res }: CallOfOne & { readonly body: object }) {
      return complete(res, await operations.update(queue.writerOf(name, begin(res, id)), id, body, headers));
    },
    async delete({ params: { id }, headers, res }: CallOfOne) {
      return complete(res, await operations.delete(queue.writerOf(name, begin(res, id)), id, headers));
    },
    createMany: ({ body, req, res }: CallOfMany) =>
      answerBatch(operations, body[plural] ?? [], req, res, {
        run: (batch, caller) => operations.createMany(queue.writerOf(name, caller), batch),
        nameOf: ({ replayed }) => (replayed ? 'replayed' : 'stored'),
      }),
    getMany({ body: { ids = [] }, req, res }: CallOfMany) {
      res.locals.readsOnly = true;
      return answerBatch(operations, ids, req, res, {
        // Found records are counted until the reply, like the records of a list.
        run: async (batch, caller) => {
          const { found } = await readList(res, async () => ({
            found: await showNamedTo(res.locals, await operations.getMany(finderOf(caller), batch)),
            readMs: undefined,
          }));
          return [...found];
        },
        nameOf: () => 'found',
      });
    },
    updateMany: ({ body, req, res }: CallOfMany) =>
      answerBatch(operations, body[plural] ?? [], req, res, {
        run: (batch, caller) => operations.updateMany(queue.writerOf(name, caller), batch),
        nameOf: () => 'updated',
      }),
    deleteMany: ({ body: { ids = [], ifMatch }, req, res }: CallOfMany) =>
      answerBatch(operations, ids, req, res, {
        run: (batch, caller) => operations.deleteMany(queue.writerOf(name, caller), batch, ifMatch),
        nameOf: () => 'deleted',
      }),
    async list({ query, req, res }: Call & { readonly query: RecordQuery }) {
      const read = async (turn: Turn) => {
        const page = await operations.list(store, query, paceOf(turn));
        const people =
          seesPeople(res.locals) && query.fields !== 'id'
            ? await operations.showPeople(store, page.records.map(operations.show))
            : undefined;
        const { readMs, next } = page;
        // Serialized after the next list has begun.
        let body: object | undefined;
        const compose = () => {
          body ??= shareText(operations.showPage(page, query, people));
          return body;
        };
        return { readMs, next, compose };
      };
      // Tokens of one subject may see different members.
      const { compose, next } = await readList(res, read, [plural, query, seesPeople(res.locals)]);
      linkNext(req, res, next);
      return { status: 200, body: compose() };
    },
    count:
      (field = '') =>
      async ({ query, req, res }: Call & { readonly query: { readonly after?: string } }) => {
        const { body } = await readList(res, () => operations.count(store, field, query));
        linkNext(req, res, body.next);
        return { status: 200, body };
      },
    async history({ params: { id }, query, req, res }: CallOfOne & { readonly query: HistoryQuery }) {
      begin(res, id);
      const { body } = await readList(res, async (turn) => ({
        body: await operations.history(store, id, query, paceOf(turn), seesPeople(res.locals)),
        readMs: undefined,
      }));
      linkNext(req, res, body.next);
      return { status: 200, body };
    },
    async changes({ query, req, res }: Call & { readonly query: ChangeQuery }) {
      const caller = callerOf(res.locals);
      const { after = await operations.latest(store), wait = 0, ...others } = query;
      const list = { ...others, after };
      if (query.after === undefined && wait === 0) return { status: 200, body: { changes: [], next: after } };
      if (wait > 0) {
        const { gone, forget } = watchClient(req, res, accessTokens);
        const page = await followChanges({ query: list, waitMs: wait * 1_000, caller, gone }).finally(forget);
        if (draining.aborted) res.setHeader('Connection', 'close');
        if (!seesPeople(res.locals)) return { status: 200, body: page };
        return { status: 200, body: { ...page, changes: await showNamedTo(res.locals, page.changes) } };
      }
      const { changes, next } = await readList(res, (turn) => operations.changes(store, list, paceOf(turn)));
      return { status: 200, body: { changes: await showNamedTo(res.locals, changes), next } };
    },
  } satisfies Record<Exclude<RecordOperation, 'count'>, RecordHandler> & {
    count(field?: string): RecordHandler;
  };
}

/** Whether the token of a request may see the authors of records. */
const seesPeople = ({ scopes }: Express.Locals): boolean => scopes?.includes('admin') ?? false;

/** Sets everything in a reply except its status and body. */
function complete<Body>(
  res: Response,
  reply: Pick<Reply<number, Body>, 'status' | 'body' | 'etag' | 'replayed'>,
) {
  const { body, etag, replayed } = reply;
  if (etag !== undefined) res.locals.entityTag = etag;
  if (replayed !== undefined) res.locals.replayed = replayed;
  if (replayed) res.setHeader('Idempotent-Replayed', 'true');
  // Other replies get these headers with their body.
  if (body === undefined) setCommonHeaders(res.req, res);
  if (body === undefined && etag !== undefined) res.setHeader('ETag', etag);
  return reply;
}

/** Links the page after one (RFC 8288), for programs that follow links. */
function linkNext({ originalUrl }: Request, res: Response, next: string | undefined): void {
  if (next === undefined) return;
  const [, query] = originalUrl.split('?');
  const parameters = new URLSearchParams(query);
  parameters.set('after', next);
  // Relative, because a proxy may have changed the path.
  res.setHeader('Link', `<?${parameters}>; rel="next"`);
}

/** How many records of a batch start in one turn of the event loop if other callers are active. */
const recordsPerTurn = 100;

/** The bytes that an item of a batch takes until the reply, in addition to its text: its parsed value, its promise, and its outcome. */
const bytesPerItem = 256;

/** The operation on the records of a batch, and the outcome that the log counts for each. */
interface BatchOperation<Result> {
  run(batch: Batch, caller: Caller): Promise<(Result | ServiceError)[]>;
  nameOf(result: Result): string;
}

/** Creates a handler for a batch of any operation. It returns a result for each item, in order. */
function createBatchHandler({ turns, memory, callers, countBatch, log }: RecordDependencies) {
  return async function answerBatch<Result extends object>(
    { requireBatch, resource }: Operations<object>,
    items: readonly unknown[],
    req: Request,
    res: Response,
    { run, nameOf }: BatchOperation<Result>,
  ) {
    requireBatch({ items });
    countBatch?.(res, items.length, resource);
    if (!memory.holdParsed(res, items.length * bytesPerItem)) throw overloadErrors.body_bytes;
    const caller = callerOf(res.locals);
    const awaitTurn = async (left: number) => {
      // Otherwise the records of several batches would be interleaved, out of order of their ids, which is slower in SQLite.
      const count = callers.count() === 1 ? left : Math.min(left, recordsPerTurn);
      await turns.wait(caller, (count / recordsPerTurn) * costPerTurn);
      return count;
    };
    const results = await run({ items, awaitTurn }, caller).finally(memory.beginWork(res));
    const counts: Record<string, number> = {};
    let unexpected: ServiceError | undefined;
    for (const result of results) {
      const key = result instanceof ServiceError ? result.errorName : nameOf(result);
      counts[key] = (counts[key] ?? 0) + 1;
      if (key === 'internal_error' && result instanceof ServiceError) unexpected ??= result;
    }
    res.locals.outcomes = counts;
    if (unexpected !== undefined)
      log.error({ requestId: req.id, err: unexpected.cause }, `some ${resource.plural} in a batch failed`);
    return { status: 200, body: showResults(results) };
  };
}

/**
 * A signal that is aborted once a client closes or resets its connection, or its sending side; or, with the error for its reply, once its
 * token is no longer valid.
 *
 * @returns the signal, and a function that stops watching
 */
function watchClient(
  request: Pick<Request, 'socket' | 'headers'>,
  response: Response,
  accessTokens: TokenVerifier,
) {
  const { socket } = request;
  const left = new AbortController();
  const leave = () => left.abort();
  response.once('close', leave);
  socket.once('end', leave);
  if (socket.readableEnded) leave();
  const unwatch = watchToken(accessTokens, request, response.locals, (error) => left.abort(error));
  const forget = () => {
    socket.off('end', leave);
    unwatch();
  };
  return { gone: left.signal, forget };
}
