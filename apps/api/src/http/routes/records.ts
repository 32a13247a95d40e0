import type {
  ChangeQuery,
  HistoryQuery,
  Metadata,
  RecordMetadata,
  RecordOperation,
} from '@plant-store/contract';
import type { Conditions } from '@plant-store/contract/conditions';
import type { ResourceName } from '@plant-store/contract/resources';
import type { New, Operations, RecordPeople, RecordQuery, Reply, Shown, Store } from '@plant-store/records';
import type { Request, Response } from 'express';
import type { TokenVerifier } from '../../auth/token-service.js';
import { operationsByName, paceOf } from '../../resources.js';
import type { Caller } from '../../runtime/callers.js';
import { createListGate, type ListGate, type Turn } from '../../runtime/list-gate.js';
import { shareBytes, shareText } from '../fast-path.js';
import { callerOf } from '../middleware/bearer-auth.js';
import { setCommonHeaders } from '../security-headers.js';
import { type BatchDependencies, createBatchHandler } from './batches.js';
import { createBatchedFind, type RecordFinder } from './create-batched-find.js';
import { createFollowChanges } from './follow-changes.js';
import { watchClient } from './watch-client.js';

/** The queue that operations write to. It groups concurrent writes. */
export interface RecordQueue {
  /** Returns functions that queue a caller's writes. */
  writerOf(resource: string, caller: Caller): Pick<Store<object>, 'create' | 'change'>;
  /** Whether the queue would reject another record from this caller. */
  isFull(caller: Caller): boolean;
  /** Returns the recent share of time in which a record waited, from 0 to 1. */
  readonly waitingShare: () => number;
}

export type RecordReader = RecordFinder &
  Pick<Store<object>, 'list' | 'countAll' | 'countValues' | 'listChanges' | 'lastChange' | 'listStates'> & {
    findHistory(ids: readonly bigint[]): Promise<readonly RecordPeople<object>[]>;
  };

export interface RecordDependencies extends BatchDependencies {
  readonly queue: RecordQueue;
  readonly stores: Readonly<Record<ResourceName, RecordReader>>;
  /** Verifies the tokens of waiting requests. */
  readonly accessTokens: TokenVerifier;
  readonly concurrentLists: number;
  /** Aborted once load balancers should send no more requests. */
  readonly draining: AbortSignal;
}

/** A request that the operation's schemas have validated. */
interface ValidRequest {
  readonly req: Request;
  readonly res: Response;
}
interface BatchRequest extends ValidRequest {
  readonly body: Readonly<Record<string, readonly unknown[]>>;
}
interface SingleRecordRequest extends ValidRequest {
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

export type RecordHandler = (request: never) => Promise<{ readonly status: number; readonly body: unknown }>;

/** Returns a function that finds the handler of a record operation. The handlers of all resources share one list gate. */
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

interface HandlerDependencies extends RecordDependencies {
  readonly lists: ListGate;
  readonly answerBatch: ReturnType<typeof createBatchHandler>;
}

function createHandlers(
  name: ResourceName,
  { queue, stores, lists, answerBatch, accessTokens, draining }: HandlerDependencies,
) {
  const store = stores[name];
  const operations = operationsByName[name] as unknown as Operations<object>;
  const { plural } = operations.resource;
  const recordIdName = `${name}Id` as const;
  const find = createBatchedFind(store);
  const finderOf = (caller: Caller) => ({ find: (id: bigint) => find(id, caller) });
  const followChanges = createFollowChanges({
    findLatest: () => operations.latest(store),
    queryPage: (query, turn) => operations.changes(store, query, paceOf(turn)),
    lists,
    serialize: shareBytes,
    draining,
  });

  /** Returns records as the request's token sees them. A token that manages tokens also sees the authors, which costs an extra read. */
  const showTo = async (locals: Express.Locals, shown: readonly Shown<object>[]) =>
    seesPeople(locals) ? await operations.showPeople(store, shown) : shown;

  /** Does the same for objects that wrap a record in a property with the resource's name. Leaves other objects unchanged. */
  const showWrappedTo = async <Item extends object>(locals: Express.Locals, items: readonly Item[]) =>
    seesPeople(locals) ? await operations.showPeopleInEach(store, items) : items;

  /** Reads a list once it is its turn, if its client is still connected. See `shareKey` in `runtime/list-gate.ts`. */
  const readList = <Read extends { readonly readMs?: number | undefined }>(
    res: Response,
    read: (turn: Turn) => Promise<Read>,
    shareKey?: unknown,
  ) => lists.read(callerOf(res.locals), { shareKey, isWanted: () => !res.closed, read });

  /** Adds the record's ID to the request log, and returns the caller. */
  function logRecord({ locals }: Response, id: bigint): Caller {
    locals.loggedId = { [recordIdName]: id.toString() };
    return callerOf(locals);
  }

  return {
    async create({ body, res }: ValidRequest & { readonly body: New<object> }) {
      const writer = queue.writerOf(name, logRecord(res, body.id));
      return prepareReply(res, await operations.create(writer, body));
    },
    async get({ params: { id }, headers, res }: SingleRecordRequest) {
      const reply = await operations.get(finderOf(logRecord(res, id)), id, headers);
      if (reply.status !== 200) return prepareReply(res, reply);
      const [body = reply.body] = await showTo(res.locals, [reply.body]);
      return prepareReply(res, { ...reply, body });
    },
    async update({ params: { id }, headers, body, res }: SingleRecordRequest & { readonly body: object }) {
      const writer = queue.writerOf(name, logRecord(res, id));
      return prepareReply(res, await operations.update(writer, id, body, headers));
    },
    async delete({ params: { id }, headers, res }: SingleRecordRequest) {
      const writer = queue.writerOf(name, logRecord(res, id));
      return prepareReply(res, await operations.delete(writer, id, headers));
    },
    createMany: ({ body, req, res }: BatchRequest) =>
      answerBatch(operations, body[plural] ?? [], req, res, {
        run: (batch, caller) => operations.createMany(queue.writerOf(name, caller), batch),
        outcomeOf: ({ replayed }) => (replayed ? 'replayed' : 'stored'),
      }),
    getMany({ body: { ids = [] }, req, res }: BatchRequest) {
      res.locals.readsOnly = true;
      return answerBatch(operations, ids, req, res, {
        // Found records are counted until the reply, like the records of a list.
        run: async (batch, caller) => {
          const { found } = await readList(res, async () => ({
            found: await showWrappedTo(res.locals, await operations.getMany(finderOf(caller), batch)),
            readMs: undefined,
          }));
          return [...found];
        },
        outcomeOf: () => 'found',
      });
    },
    updateMany: ({ body, req, res }: BatchRequest) =>
      answerBatch(operations, body[plural] ?? [], req, res, {
        run: (batch, caller) => operations.updateMany(queue.writerOf(name, caller), batch),
        outcomeOf: () => 'updated',
      }),
    deleteMany: ({ body: { ids = [], ifMatch }, req, res }: BatchRequest) =>
      answerBatch(operations, ids, req, res, {
        run: (batch, caller) => operations.deleteMany(queue.writerOf(name, caller), batch, ifMatch),
        outcomeOf: () => 'deleted',
      }),
    async list({ query, req, res }: ValidRequest & { readonly query: RecordQuery }) {
      const read = async (turn: Turn) => {
        const page = await operations.list(store, query, paceOf(turn));
        const people =
          seesPeople(res.locals) && query.fields !== 'id'
            ? await operations.showPeople(store, page.records.map(operations.show))
            : undefined;
        const { readMs, next } = page;
        // Serialized only after the next list has started.
        let body: object | undefined;
        const compose = () => {
          body ??= shareText(operations.showPage(page, query, people));
          return body;
        };
        return { readMs, next, compose };
      };
      // The key includes `seesPeople`, because only admin tokens of a caller see the authors.
      const { compose, next } = await readList(res, read, [plural, query, seesPeople(res.locals)]);
      linkNext(req, res, next);
      return { status: 200, body: compose() };
    },
    count:
      (field = '') =>
      async ({ query, req, res }: ValidRequest & { readonly query: { readonly after?: string } }) => {
        const { body } = await readList(res, () => operations.count(store, field, query));
        linkNext(req, res, body.next);
        return { status: 200, body };
      },
    async history({
      params: { id },
      query,
      req,
      res,
    }: SingleRecordRequest & { readonly query: HistoryQuery }) {
      logRecord(res, id);
      const { body } = await readList(res, async (turn) => ({
        body: await operations.history(store, id, query, paceOf(turn), seesPeople(res.locals)),
        readMs: undefined,
      }));
      linkNext(req, res, body.next);
      return { status: 200, body };
    },
    async changes({ query, req, res }: ValidRequest & { readonly query: ChangeQuery }) {
      const caller = callerOf(res.locals);
      const { after = await operations.latest(store), wait = 0, ...others } = query;
      const range = { ...others, after };
      if (query.after === undefined && wait === 0) return { status: 200, body: { changes: [], next: after } };
      if (wait > 0) {
        const { gone, stop } = watchClient(req, res, accessTokens);
        const page = await followChanges({ query: range, waitMs: wait * 1_000, caller, gone }).finally(stop);
        if (draining.aborted) res.setHeader('Connection', 'close');
        if (!seesPeople(res.locals)) return { status: 200, body: page };
        return { status: 200, body: { ...page, changes: await showWrappedTo(res.locals, page.changes) } };
      }
      const { changes, next } = await readList(res, (turn) => operations.changes(store, range, paceOf(turn)));
      return { status: 200, body: { changes: await showWrappedTo(res.locals, changes), next } };
    },
  } satisfies Record<Exclude<RecordOperation, 'count'>, RecordHandler> & {
    count(field?: string): RecordHandler;
  };
}

/** Whether the request's token can see the authors of records. */
const seesPeople = ({ scopes }: Express.Locals): boolean => scopes?.includes('admin') ?? false;

/** Sets the headers and log fields of a reply, and returns the reply. */
function prepareReply<Body>(
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

/** Links to the next page (RFC 8288), for programs that follow links. */
function linkNext({ originalUrl }: Request, res: Response, next: string | undefined): void {
  if (next === undefined) return;
  const [, query] = originalUrl.split('?');
  const parameters = new URLSearchParams(query);
  parameters.set('after', next);
  // Relative, because a proxy can change the path.
  res.setHeader('Link', `<?${parameters}>; rel="next"`);
}
