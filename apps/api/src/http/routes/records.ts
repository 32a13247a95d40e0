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
  type Change,
  type ChangeOutcome,
  type CreateOutcome,
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
import { createListGate, type ListGate } from '../../runtime/list-gate.js';
import { costPerTurn, type Turns } from '../../runtime/turns.js';
import type { CallerMemory } from '../caller-memory.js';
import { shareBytes, shareText } from '../fast-path.js';
import { callerOf, watchToken } from '../middleware/bearer-auth.js';
import type { CountBatch } from '../middleware/rate-limit.js';
import { setCommonHeaders } from '../security-headers.js';
import { createFind, type RecordFinder } from './create-find.js';
import { createFollowChanges } from './follow-changes.js';

/** What operations write to. It groups what they write at the same time. */
export interface RecordQueue {
  create(resource: string, record: New<object>, caller: Caller): Promise<CreateOutcome<object>>;
  change(resource: string, change: Change<object>, caller: Caller): Promise<ChangeOutcome<object>>;
  /** Whether it would reject another record of the caller. */
  isFull(caller: Caller): boolean;
  /** What part of the time a record waited lately, from 0 to 1. */
  waitingShare(): number;
}

/** What operations read from. */
export type RecordReader = RecordFinder &
  Pick<Store<object>, 'list' | 'countAll' | 'countValues' | 'listChanges' | 'lastChange' | 'listStates'> & {
    /** Finds what has these ids, with who has made each what it is. */
    findHistory(ids: readonly bigint[]): Promise<readonly RecordPeople<object>[]>;
  };

/** What the operations of records depend on. */
export interface RecordDependencies {
  readonly queue: RecordQueue;
  /** What operations read from, by the names of resources. */
  readonly stores: Readonly<Record<ResourceName, RecordReader>>;
  /** Verifies the tokens of requests that wait. */
  readonly accessTokens: TokenVerifier;
  /** How many lists it reads at a time. */
  readonly concurrentLists: number;
  /** What callers hold. */
  readonly memory: CallerMemory;
  /** Who calls the service at the moment. */
  readonly callers: ActiveCallers;
  /** What the event loop has to do, large batches and bodies among it. */
  readonly turns: Turns;
  /** Counts the records of a batch for the rate limit, if there is one. */
  readonly countBatch?: CountBatch | undefined;
  readonly log: Logger;
  /** Aborted once load balancers should send no more requests. */
  readonly draining: AbortSignal;
}

/** A request, as the schemas of its operation have validated it. */
interface Call {
  readonly req: Request;
  readonly res: Response;
}
interface CallOfOne extends Call {
  readonly params: { readonly id: bigint };
  readonly headers: Conditions;
}

/** The operations that change nothing. */
const reads: ReadonlySet<RecordOperation> = new Set([
  'get',
  'getMany',
  'list',
  'count',
  'changes',
  'history',
]);

/** Whether an operation changes records. */
export const isWrite = ({ operation }: Metadata): boolean => operation !== undefined && !reads.has(operation);

/** Answers the requests of an operation with a status and a body. */
export type RecordHandler = (call: never) => Promise<{ readonly status: number; readonly body: unknown }>;

/** Creates a function that returns the handler of an operation, by what that does. */
export function createRecordHandlers(
  dependencies: RecordDependencies,
): (metadata: RecordMetadata) => RecordHandler {
  const { queue, memory, callers } = dependencies;
  const lists = createListGate({
    concurrency: dependencies.concurrentLists,
    callers,
    hasRoom: memory.hasRoom,
    waitingShare: () => queue.waitingShare(),
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

/** The handlers of one resource. */
function createHandlers(
  name: ResourceName,
  { queue, stores, lists, answerBatch, accessTokens, draining }: Shared,
) {
  const store = stores[name];
  const operations = operationsByName[name] as unknown as Operations<object>;
  const { plural } = operations.resource;
  const recordIdName = `${name}Id` as const;
  const find = createFind(store);
  const finderOf = (caller: Caller) => ({ find: (id: bigint) => find(id, caller) });
  const writerOf = (caller: Caller): Pick<Store<object>, 'create' | 'change'> => ({
    create: (record) => queue.create(name, record, caller),
    change: (change) => queue.change(name, change, caller),
  });
  const followChanges = createFollowChanges({
    latest: () => operations.latest(store),
    read: (query, turn) => operations.changes(store, query, paceOf(turn)),
    lists,
    compose: shareBytes,
    draining,
  });

  /** Records as a token gets to see them: one that manages tokens sees who has made each what it is, and pays for that. */
  const showTo = async (locals: Express.Locals, shown: readonly Shown<object>[]) =>
    seesPeople(locals) ? await operations.showPeople(store, shown) : shown;

  /** As `showTo`, in what a reply has each record of, under the name of the resource. */
  async function showNamedTo<One extends object>(
    locals: Express.Locals,
    all: readonly One[],
  ): Promise<readonly One[]> {
    if (!seesPeople(locals)) return all;
    const recordOf = (one: One) => (one as { readonly [Each in string]?: Shown<object> })[name];
    const shown = await operations.showPeople(
      store,
      all.flatMap((one) => recordOf(one) ?? []),
    );
    const rest = shown.values();
    return all.map((one) => (recordOf(one) === undefined ? one : { ...one, [name]: rest.next().value }));
  }

  /** Notes for the log which record a request is about, and returns its caller. */
  function begin({ locals }: Response, id: bigint): Caller {
    locals.recordIdName = recordIdName;
    locals.recordId = id.toString();
    return callerOf(locals);
  }

  return {
    async create({ body, res }: Call & { readonly body: New<object> }) {
      return complete(res, await operations.create(writerOf(begin(res, body.id)), body));
    },
    async get({ params: { id }, headers, res }: CallOfOne) {
      const reply = await operations.get(finderOf(begin(res, id)), id, headers);
      if (reply.status !== 200) return complete(res, reply);
      const [body = reply.body] = await showTo(res.locals, [reply.body]);
      return complete(res, { ...reply, body });
    },
    async update({ params: { id }, headers, body, res }: CallOfOne & { readonly body: object }) {
      return complete(res, await operations.update(writerOf(begin(res, id)), id, body, headers));
    },
    async delete({ params: { id }, headers, res }: CallOfOne) {
      return complete(res, await operations.delete(writerOf(begin(res, id)), id, headers));
    },
    createMany: ({
      body,
      req,
      res,
    }: Call & { readonly body: Readonly<Record<string, readonly unknown[]>> }) =>
      answerBatch(operations, body[plural] ?? [], req, res, {
        run: (batch, caller) => operations.createMany(writerOf(caller), batch),
        nameOf: ({ replayed }) => (replayed ? 'replayed' : 'stored'),
      }),
    getMany({ body: { ids }, req, res }: Call & { readonly body: { readonly ids: readonly unknown[] } }) {
      res.locals.readsOnly = true;
      return answerBatch(operations, ids, req, res, {
        // What it finds is held until its reply, as what a list reads is.
        run: (batch, caller) =>
          lists
            .read(caller, {
              isWanted: () => !res.closed,
              read: async () => ({
                found: await showNamedTo(res.locals, await operations.getMany(finderOf(caller), batch)),
                readMs: undefined,
              }),
            })
            .then(({ found }) => [...found]),
        nameOf: () => 'found',
      });
    },
    updateMany: ({
      body,
      req,
      res,
    }: Call & { readonly body: Readonly<Record<string, readonly unknown[]>> }) =>
      answerBatch(operations, body[plural] ?? [], req, res, {
        run: (batch, caller) => operations.updateMany(writerOf(caller), batch),
        nameOf: () => 'updated',
      }),
    deleteMany: ({
      body: { ids, ifMatch },
      req,
      res,
    }: Call & { readonly body: Readonly<Record<'ids' | 'ifMatch', readonly unknown[]>> }) =>
      answerBatch(operations, ids, req, res, {
        run: (batch, caller) => operations.deleteMany(writerOf(caller), batch, ifMatch),
        nameOf: () => 'deleted',
      }),
    async list({ query, req, res }: Call & { readonly query: RecordQuery }) {
      const { compose, next } = await lists.read(callerOf(res.locals), {
        // What tokens of one subject may see differs.
        of: [plural, query, seesPeople(res.locals)],
        isWanted: () => !res.closed,
        async read(turn) {
          const page = await operations.list(store, query, paceOf(turn));
          const people =
            seesPeople(res.locals) && query.fields !== 'id'
              ? await operations.showPeople(store, page.records.map(operations.show))
              : undefined;
          const { readMs, next } = page;
          // Composed after the next list has begun.
          return { readMs, next, compose: once(() => shareText(operations.showPage(page, query, people))) };
        },
      });
      linkNext(req, res, next);
      return { status: 200, body: compose() };
    },
    count:
      (field = '') =>
      async ({ query, req, res }: Call & { readonly query: { readonly after?: string } }) => {
        const { body } = await lists.read(callerOf(res.locals), {
          isWanted: () => !res.closed,
          read: () => operations.count(store, field, query),
        });
        linkNext(req, res, body.next);
        return { status: 200, body };
      },
    async history({ params: { id }, query, req, res }: CallOfOne & { readonly query: HistoryQuery }) {
      const { body } = await lists.read(begin(res, id), {
        isWanted: () => !res.closed,
        read: async (turn) => ({
          body: await operations.history(store, id, query, paceOf(turn), seesPeople(res.locals)),
          readMs: undefined,
        }),
      });
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
      const { changes, next } = await lists.read(caller, {
        isWanted: () => !res.closed,
        read: (turn) => operations.changes(store, list, paceOf(turn)),
      });
      return { status: 200, body: { changes: await showNamedTo(res.locals, changes), next } };
    },
  } satisfies Record<Exclude<RecordOperation, 'count'>, RecordHandler> & {
    count(field?: string): RecordHandler;
  };
}

/** Whether the token of a request shows who has made records what they are. */
const seesPeople = ({ scopes }: Express.Locals): boolean => scopes?.includes('admin') ?? false;

/** Sets what a reply has besides its status and its body. */
function complete<Body>(
  res: Response,
  reply: Pick<Reply<number, Body>, 'status' | 'body' | 'etag' | 'replayed'>,
) {
  const { body, etag, replayed } = reply;
  if (etag !== undefined) res.locals.entityTag = etag;
  if (replayed !== undefined) res.locals.replayed = replayed;
  if (replayed) res.setHeader('Idempotent-Replayed', 'true');
  // Those of other replies are set with their body.
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
  // Without a path, which a proxy may have changed.
  res.setHeader('Link', `<?${parameters}>; rel="next"`);
}

/** A function that returns what its first call has made. */
function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** How many records of a batch are begun in a turn of the event loop, where others have something to do, too. */
const recordsPerTurn = 100;

/** How many bytes an item of a batch takes besides its text, until the reply: what was parsed of it, its promise, and its outcome. */
const bytesPerItem = 256;

/** What is done with the records of a batch, and how the log counts what became of one. */
interface BatchOperation<Result> {
  run(batch: Batch, caller: Caller): Promise<(Result | ServiceError)[]>;
  nameOf(result: Result): string;
}

/** Creates what answers a batch of any operation, with a result for each item, in order. */
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
      // Those of several batches would otherwise be stored in turns, in no order of their ids, which takes SQLite longer.
      const count = callers.count() === 1 ? left : Math.min(left, recordsPerTurn);
      await turns.wait(caller, (count / recordsPerTurn) * costPerTurn);
      return count;
    };
    const results = await run({ items, awaitTurn }, caller).finally(memory.beginWork(res));
    const counts: Record<string, number> = {};
    for (const result of results) {
      const key = result instanceof ServiceError ? result.errorName : nameOf(result);
      counts[key] = (counts[key] ?? 0) + 1;
    }
    res.locals.outcomes = counts;
    const unexpected = results.find(isUnexpected);
    if (unexpected !== undefined)
      log.error({ requestId: req.id, err: unexpected.cause }, `${resource.plural} of a batch failed`);
    return { status: 200, body: showResults(results) };
  };
}

function isUnexpected(result: unknown): result is ServiceError {
  return result instanceof ServiceError && result.errorName === 'internal_error';
}

/**
 * A signal that is aborted once a client sends nothing more on its connection, which may be closed, or was reset; or, with the error
 * for its reply, once its token is not valid any more.
 *
 * @returns a function, too, that ends this
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
