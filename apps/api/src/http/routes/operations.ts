import { contract, type ErrorNameOf, type ErrorNumber, MAX_PLANTS } from '@plant-store/contract';
import { type Conditions, findFailedCondition, isEntityTags } from '@plant-store/contract/conditions';
import { messages } from '@plant-store/contract/messages';
import type { OwnToken, Plant } from '@plant-store/contract/operations';
import { matchPath, parseQuery } from '@plant-store/contract/request-target';
import { routes } from '@plant-store/contract/routes';
import { ServiceError } from '@plant-store/records';
import { type AppRouteImplementation, createExpressEndpoints, initServer } from '@ts-rest/express';
import type { Express, NextFunction, Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { createTokenManagement, type Issuer } from '../../auth/manage-tokens.js';
import type { TokenService, TokenVerifier } from '../../auth/token-service.js';
import { overloadErrors } from '../../errors/service-error.js';
import { createPlant, createPlants } from '../../plants/create-plant.js';
import { deletePlant, deletePlants } from '../../plants/delete-plant.js';
import { createFollowChanges } from '../../plants/follow-changes.js';
import { createFindPlant, getPlant, getPlants } from '../../plants/get-plant.js';
import { findLatest, listChanges } from '../../plants/list-changes.js';
import { listPlants } from '../../plants/list-plants.js';
import { listTags } from '../../plants/list-tags.js';
import type { PlantQueue, PlantStore } from '../../plants/plant-store.js';
import type { Batch } from '../../plants/run-batch.js';
import { showStoredPlant } from '../../plants/show-plant.js';
import { conditionFailed, entityTagOf, updatePlant } from '../../plants/update-plant.js';
import type { ActiveCallers } from '../../runtime/callers.js';
import { createListGate } from '../../runtime/list-gate.js';
import { costPerTurn, type Turns } from '../../runtime/turns.js';
import type { CallerMemory } from '../caller-memory.js';
import { shareBytes, shareText } from '../fast-path.js';
import { callerOf, watchToken } from '../middleware/bearer-auth.js';
import type { CountBatch } from '../middleware/rate-limit.js';
import { setCommonHeaders } from '../security-headers.js';

type Name = keyof typeof contract;

/** What operations depend on. */
export interface OperationDependencies {
  readonly queue: PlantQueue;
  /** What operations read from. */
  readonly store: Pick<PlantStore, 'find' | 'list' | 'countValues' | 'listChanges' | 'lastChange'>;
  /** Verifies the tokens of requests that wait. */
  readonly accessTokens: TokenVerifier;
  /** The access tokens of the service. */
  readonly ownTokens: Pick<TokenService, 'issueWithinLimit' | 'listLatest' | 'find' | 'limit' | 'revoke'>;
  /** How many requests a token without a limit of its own may make in a minute, in this process; 0 is no limit. */
  readonly rateLimitPerMinute: number;
  /** How many processes there are, of which each has its share of that. */
  readonly workers: number;
  /** How many lists it reads at a time. */
  readonly concurrentLists: number;
  /** What callers hold. */
  readonly memory: CallerMemory;
  /** Who calls the service at the moment. */
  readonly callers: ActiveCallers;
  /** What the event loop has to do, large batches and bodies among it. */
  readonly turns: Turns;
  /** Counts the plants of a batch for the rate limit, if there is one. */
  readonly countBatch?: CountBatch | undefined;
  readonly log: Logger;
  /** Aborted once load balancers should send no more requests. */
  readonly draining: AbortSignal;
}

/** What the contract has of an operation. */
export type Operation = (typeof contract)[Name];

/**
 * Middleware as ts-rest takes it for any operation. It types a request by the operation's schemas, as which it is not
 * validated yet when middleware runs.
 */
type OperationHandler = (request: object, response: Response, next: NextFunction) => void;

/** An update with any of its conditions, which callers choose from. */
interface UpdateRequest {
  readonly params: { readonly id: bigint };
  readonly headers: Conditions;
  readonly body: Plant;
  readonly res: Response;
}

/** The code that answers each operation. */
type Handlers = { [Key in Name]: AppRouteImplementation<(typeof contract)[Key]> };

/**
 * Mounts the operations of the contract, each with the code that answers it.
 *
 * @param middlewareOf returns what comes before the code of an operation, in order
 */
export function mountOperations(
  app: Express,
  dependencies: OperationDependencies,
  middlewareOf: (operation: Operation) => readonly RequestHandler[],
): void {
  const { queue, store, memory, turns, callers, draining } = dependencies;
  const findPlant = createFindPlant(store);
  const lists = createListGate({
    concurrency: dependencies.concurrentLists,
    callers,
    hasRoom: memory.hasRoom,
    waitingShare: () => queue.waitingShare(),
  });
  const followChanges = createFollowChanges({ store, lists, compose: shareBytes, draining });
  const answerBatch = createBatchHandler(dependencies);
  const { ownTokens, log } = dependencies;
  const rateLimitPerMinute = dependencies.rateLimitPerMinute * dependencies.workers;
  const tokens = createTokenManagement(ownTokens, rateLimitPerMinute, log);
  const handlers: Handlers = {
    async createPlant({ body, res }) {
      res.locals['plantId'] = body.id.toString();
      const { replayed, addedAt } = await createPlant(queue, body, callerOf(res.locals));
      res.locals['replayed'] = replayed;
      // That of the plant as the reply shows it, in a replay, too: it is out of date if the plant has changed since.
      res.locals.entityTag = entityTagOf({ ...body, addedAt });
      if (replayed) res.setHeader('Idempotent-Replayed', 'true');
      const { id: _, ...plant } = body;
      return { status: 200, body: plant };
    },
    createPlants: ({ body: { plants }, req, res }) =>
      answerBatch(plants, req, res, {
        run: (batch) => createPlants(queue, batch),
        name: ({ replayed }) => (replayed ? 'replayed' : 'stored'),
        show: ({ replayed }) => ({ status: 200, replayed }),
      }),
    async getPlants({ body: { ids }, req, res }) {
      res.locals.readsOnly = true;
      return answerBatch(ids, req, res, {
        // What it finds is held until its reply, as what a list reads is.
        run: (batch) =>
          lists
            .read(batch.caller, {
              isWanted: () => !res.closed,
              read: async () => ({ found: await getPlants(findPlant, batch), readMs: undefined }),
            })
            .then(({ found }) => found),
        name: () => 'found',
        show: (plant) => ({ status: 200, plant: showStoredPlant(plant) }),
      });
    },
    deletePlants: ({ body: { ids }, req, res }) =>
      answerBatch(ids, req, res, {
        run: (batch) => deletePlants(queue, batch),
        name: () => 'deleted',
        show: () => ({ status: 204 }),
      }),
    async updatePlant({ params: { id }, headers, body, res }: UpdateRequest) {
      res.locals['plantId'] = id.toString();
      const plant = await updatePlant(queue, id, body, headers, callerOf(res.locals));
      res.locals.entityTag = entityTagOf(plant);
      return { status: 200 as const, body: showStoredPlant(plant) };
    },
    async deletePlant({ params: { id }, headers, res }) {
      res.locals['plantId'] = id.toString();
      await deletePlant(queue, id, callerOf(res.locals), headers);
      // Those of other replies are set with their body.
      setCommonHeaders(res.req, res);
      return { status: 204, body: undefined };
    },
    async getPlant({ params: { id }, headers, res }) {
      res.locals['plantId'] = id.toString();
      if (!isEntityTags(headers['if-match'] ?? '*'))
        throw new ServiceError('bad_request', messages.invalidIfMatch);
      const plant = await getPlant(findPlant, id, callerOf(res.locals));
      const tag = entityTagOf(plant);
      const failed = findFailedCondition(headers, tag);
      if (failed === 'if-match') throw conditionFailed(failed, id);
      res.locals.entityTag = tag;
      if (failed === undefined) return { status: 200, body: showStoredPlant(plant) };
      setCommonHeaders(res.req, res);
      res.setHeader('ETag', tag);
      return { status: 304, body: undefined };
    },
    async listPlants({ query, res }) {
      const { compose } = await lists.read(callerOf(res.locals), {
        of: ['plants', query],
        isWanted: () => !res.closed,
        async read(share) {
          const { plants, next, readMs } = await listPlants(store, query, share);
          // Composed after the next list has begun.
          return { readMs, compose: once(() => shareText({ plants: plants.map(showStoredPlant), next })) };
        },
      });
      return { status: 200, body: compose() };
    },
    async listTags({ query, res }) {
      const { tags, next } = await lists.read(callerOf(res.locals), {
        isWanted: () => !res.closed,
        read: (share) => listTags(store, query, share),
      });
      return { status: 200, body: { tags, next } };
    },
    async listChanges({ query, req, res }) {
      const caller = callerOf(res.locals);
      const { after = await findLatest(store), wait = 0, ...others } = query;
      const list = { ...others, after };
      if (query.after === undefined && wait === 0) return { status: 200, body: { changes: [], next: after } };
      if (wait > 0) {
        const { gone, forget } = watchClient(req, res, dependencies.accessTokens);
        const page = await followChanges({ query: list, waitMs: wait * 1_000, caller, gone }).finally(forget);
        if (draining.aborted) res.setHeader('Connection', 'close');
        return { status: 200, body: page };
      }
      const { changes, next } = await lists.read(caller, {
        isWanted: () => !res.closed,
        read: (share) => listChanges(store, list, share),
      });
      return { status: 200, body: { changes, next } };
    },
    getOwnToken: async ({ res }) => ({ status: 200, body: showOwnToken(res.locals) }),
    async listTokens({ res }) {
      await turns.wait(callerOf(res.locals), costOfTokens);
      return { status: 200, body: { tokens: await tokens.list() } };
    },
    async createToken({ body, res }) {
      // It counts those that are valid, as a rotation does.
      await turns.wait(callerOf(res.locals), costOfTokens);
      return { status: 200, body: await tokens.create(body, issuerOf(res.locals, rateLimitPerMinute)) };
    },
    async rotateToken({ params: { id }, body, res }) {
      await turns.wait(callerOf(res.locals), costOfTokens);
      return { status: 200, body: await tokens.rotate(id, body, issuerOf(res.locals, rateLimitPerMinute)) };
    },
    async revokeToken({ params: { id }, res }) {
      await tokens.revoke(id, String(callerOf(res.locals)));
      setCommonHeaders(res.req, res);
      return { status: 204, body: undefined };
    },
  };

  app.set('query parser', (text?: string) => parseQuery(text ?? ''));
  writeExactIntegers();
  // Express takes the first route that matches; the fake plant store, 404 and 405 go by the same order.
  const operations = Object.fromEntries(
    (Object.keys(routes) as Name[]).map((name) => {
      const operation = contract[name];
      const own = 'pathParams' in operation ? [keepPathParameters] : [];
      return [name, { middleware: [...middlewareOf(operation), ...own], handler: handlers[name] }];
    }),
  ) as { [Key in Name]: { middleware: OperationHandler[]; handler: Handlers[Key] } };
  createExpressEndpoints(contract, initServer().router(contract, operations), app, {
    logInitialization: false,
    requestValidationErrorHandler: (error, _request, _response, next) => next(error),
  });
}

/** A function that returns what its first call has made. */
function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** What authentication has found out about the token of a request, without what is not of its kind. */
function showOwnToken({ accessToken, subject, acceptedUntil, scopes = [] }: Express.Locals): OwnToken {
  const expiresAt = accessToken?.expiresAt?.getTime() ?? acceptedUntil;
  return {
    ...(accessToken ? { id: BigInt(accessToken.id), name: accessToken.name } : { subject }),
    scopes: [...scopes],
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
    ...(accessToken?.ratePerMinute && { ratePerMinute: accessToken.ratePerMinute }),
  };
}

/** What the token of a request may give. */
function issuerOf(locals: Express.Locals, rateLimitPerMinute: number): Issuer {
  const { accessToken, acceptedUntil, scopes = [] } = locals;
  return {
    ...{ by: String(callerOf(locals)), id: accessToken?.id },
    scopes,
    expiresAt: accessToken?.expiresAt?.getTime() ?? acceptedUntil,
    ratePerMinute: accessToken?.ratePerMinute ?? rateLimitPerMinute,
    hasOwnRate: Boolean(accessToken?.ratePerMinute),
  };
}

/** How long all tokens take to read, as many as there may be, counted as `Turns.schedule` does. */
const costOfTokens = 16 * costPerTurn;

/** How many plants of a batch are begun in a turn of the event loop, where others have something to do, too. */
const plantsPerTurn = 100;

/** How many bytes an item of a batch takes besides its text, until the reply: what was parsed of it, its promise, and its outcome. */
const bytesPerItem = 256;

/** What is done with the plants of a batch, and how the log and the reply have what was done with one. */
interface BatchOperation<Outcome, Shown> {
  run(batch: Batch): Promise<(Outcome | ServiceError)[]>;
  name(outcome: Outcome): string;
  show(outcome: Outcome): Shown;
}

/** Creates what answers a batch of any operation, with a result for each item, in order. */
function createBatchHandler({ turns, memory, callers, countBatch, log }: OperationDependencies) {
  return async function answerBatch<Outcome, Shown>(
    items: readonly unknown[],
    req: Request,
    res: Response,
    { run, name, show }: BatchOperation<Outcome, Shown>,
  ) {
    if (items.length > MAX_PLANTS) {
      throw new ServiceError('batch_too_large', messages.batchTooLarge(items.length));
    }
    countBatch?.(res, items.length);
    if (!memory.holdParsed(res, items.length * bytesPerItem)) throw overloadErrors.body_bytes;
    const caller = callerOf(res.locals);
    const awaitTurn = async (left: number) => {
      // Those of several batches would otherwise be stored in turns, in no order of their ids, which takes SQLite longer.
      const count = callers.count() === 1 ? left : Math.min(left, plantsPerTurn);
      await turns.wait(caller, (count / plantsPerTurn) * costPerTurn);
      return count;
    };
    const outcomes = await run({ items, caller, awaitTurn }).finally(memory.beginWork(res));
    const counts: Record<string, number> = {};
    for (const outcome of outcomes) {
      const key = outcome instanceof ServiceError ? outcome.errorName : name(outcome);
      counts[key] = (counts[key] ?? 0) + 1;
    }
    res.locals.outcomes = counts;
    const unexpected = outcomes.find(isUnexpected);
    if (unexpected !== undefined)
      log.error({ requestId: req.id, err: unexpected.cause }, 'plants of a batch failed');
    const results = outcomes.map((outcome) =>
      outcome instanceof ServiceError ? toFailure(outcome) : show(outcome),
    );
    return { status: 200 as const, body: { results } };
  };
}

function isUnexpected(outcome: unknown): outcome is ServiceError {
  return outcome instanceof ServiceError && outcome.errorName === 'internal_error';
}

type FailureStatus = 400 | 500 | 503;

function toFailure({ status, body }: ServiceError) {
  // One plant is rejected with no other status than those of the contract.
  return { status, ...body } as {
    status: FailureStatus;
    error: ErrorNumber<ErrorNameOf<FailureStatus>>;
    message: string;
  };
}

/** Gives parameters in the path as they were sent: a value has one spelling there, and Express decodes any other to it. */
const keepPathParameters: RequestHandler = (request, _response, next) => {
  if (request.path.includes('%')) request.params = { ...matchPath(request.path)[0]?.params };
  next();
};

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

/**
 * Makes `JSON.stringify` write each `bigint` of this process as its digits, so that an id of any size is exact; by itself it
 * throws. A replacer would be called for each value of a reply, with which a page of plants takes twice as long.
 */
function writeExactIntegers(): void {
  Object.defineProperty(BigInt.prototype, 'toJSON', {
    configurable: true,
    value(this: bigint) {
      return json.rawJSON(String(this));
    },
  });
}

/** Its types do not have `JSON.rawJSON` yet, which Node.js 22 has (https://github.com/tc39/proposal-json-parse-with-source). */
const json = JSON as typeof JSON & { rawJSON(text: string): unknown };
