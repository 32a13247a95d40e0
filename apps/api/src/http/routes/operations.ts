import { type CreateResult, contract, MAX_PLANTS } from '@plant-store/contract';
import { messages } from '@plant-store/contract/messages';
import { matchPath, parseQuery } from '@plant-store/contract/request-target';
import { routes } from '@plant-store/contract/routes';
import { type AppRouteImplementation, createExpressEndpoints, initServer } from '@ts-rest/express';
import type { Express, NextFunction, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { ServiceError } from '../../errors/service-error.js';
import { correctPlant, entityTagOf, namesTag } from '../../plants/correct-plant.js';
import { type CreatedOrRejected, createPlant, createPlants } from '../../plants/create-plant.js';
import { deletePlant } from '../../plants/delete-plant.js';
import { createFollowChanges } from '../../plants/follow-changes.js';
import { createFindPlant, getPlant } from '../../plants/get-plant.js';
import { findLatest, listChanges } from '../../plants/list-changes.js';
import { listPlants } from '../../plants/list-plants.js';
import { listTags } from '../../plants/list-tags.js';
import type { PlantQueue, PlantStore } from '../../plants/plant-store.js';
import { showStoredPlant } from '../../plants/show-plant.js';
import type { ActiveCallers } from '../../runtime/callers.js';
import { createListGate } from '../../runtime/list-gate.js';
import { costPerTurn, type Turns } from '../../runtime/turns.js';
import { callerOf } from '../middleware/bearer-auth.js';
import type { CountBatch } from '../middleware/rate-limit.js';
import { setCommonHeaders } from '../security-headers.js';

type Name = keyof typeof contract;

/** What operations depend on. */
export interface OperationDependencies {
  readonly queue: PlantQueue;
  /** What operations read from. */
  readonly store: Pick<PlantStore, 'find' | 'list' | 'countValues' | 'listChanges' | 'lastChange'>;
  /** How many lists it reads at a time. */
  readonly concurrentLists: number;
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
  const { queue, store, callers, draining } = dependencies;
  const findPlant = createFindPlant(store);
  const lists = createListGate({
    concurrency: dependencies.concurrentLists,
    callers,
    waitingShare: () => queue.waitingShare(),
  });
  const followChanges = createFollowChanges({ store, lists, draining });
  const handlers: Handlers = {
    async createPlant({ body, res }) {
      res.locals['plantId'] = body.id.toString();
      const { replayed } = await createPlant(queue, body, callerOf(res.locals));
      res.locals['replayed'] = replayed;
      if (replayed) res.setHeader('Idempotent-Replayed', 'true');
      const { id: _, ...plant } = body;
      return { status: 200, body: plant };
    },
    createPlants: createPlantsHandler(dependencies),
    async correctPlant({ params: { id }, headers, body, res }) {
      res.locals['plantId'] = id.toString();
      const plant = await correctPlant(queue, id, body, headers, callerOf(res.locals));
      res.setHeader('ETag', entityTagOf(plant));
      return { status: 200, body: showStoredPlant(plant) };
    },
    async deletePlant({ params: { id }, res }) {
      res.locals['plantId'] = id.toString();
      await deletePlant(queue, id, callerOf(res.locals));
      // Those of other replies are set with their body.
      setCommonHeaders(res.req, res);
      return { status: 204, body: undefined };
    },
    async getPlant({ params: { id }, res }) {
      res.locals['plantId'] = id.toString();
      const plant = await getPlant(findPlant, id, callerOf(res.locals));
      const tag = entityTagOf(plant);
      res.setHeader('ETag', tag);
      // Here tags are compared as if all were weak (RFC 9110, section 13.1.2).
      const known = res.req.headers['if-none-match']?.replaceAll('W/', '') ?? '';
      if (!namesTag(known, tag)) return { status: 200, body: showStoredPlant(plant) };
      setCommonHeaders(res.req, res);
      return { status: 304, body: undefined };
    },
    async listPlants({ query, res }) {
      const { plants, next } = await lists.read(callerOf(res.locals), {
        isWanted: () => !res.closed,
        read: (share) => listPlants(store, query, share),
      });
      return { status: 200, body: { plants: plants.map(showStoredPlant), next } };
    },
    async listTags({ query, res }) {
      const { tags, next } = await lists.read(callerOf(res.locals), {
        isWanted: () => !res.closed,
        read: (share) => listTags(store, query, share),
      });
      return { status: 200, body: { tags, next } };
    },
    async listChanges({ query, res }) {
      const caller = callerOf(res.locals);
      const { after = await findLatest(store), wait = 0, ...others } = query;
      const list = { ...others, after };
      if (wait > 0) {
        const gone = new AbortController();
        res.once('close', () => gone.abort());
        const page = await followChanges({ query: list, waitMs: wait * 1_000, caller, gone: gone.signal });
        if (draining.aborted) res.setHeader('Connection', 'close');
        return { status: 200, body: page };
      }
      const { changes, next } = await lists.read(caller, {
        isWanted: () => !res.closed,
        read: (share) => listChanges(store, list, share),
      });
      return { status: 200, body: { changes, next } };
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

/** How many plants are validated and queued in a turn of the event loop, where others have something to do, too. */
const plantsPerTurn = 100;

/** Creates what answers `createPlants`. */
function createPlantsHandler({
  queue,
  turns,
  callers,
  countBatch,
  log,
}: OperationDependencies): Handlers['createPlants'] {
  return async ({ body: { plants }, req, res }) => {
    if (plants.length > MAX_PLANTS) {
      throw new ServiceError('batch_too_large', messages.batchTooLarge(plants.length));
    }
    countBatch?.(res, plants.length);
    const caller = callerOf(res.locals);
    const awaitTurn = async (left: number) => {
      // Those of several batches would otherwise be stored in turns, in no order of their ids, which takes SQLite longer.
      const count = callers.count() === 1 ? left : Math.min(left, plantsPerTurn);
      await turns.wait(caller, (count / plantsPerTurn) * costPerTurn);
      return count;
    };
    const outcomes = await createPlants(queue, plants, caller, awaitTurn);
    res.locals.outcomes = countOutcomes(outcomes);
    const unexpected = outcomes.find(isUnexpected);
    if (unexpected !== undefined) {
      log.error({ requestId: req.id, err: unexpected.cause }, 'plants of a batch could not be stored');
    }
    return { status: 200, body: { results: outcomes.map(toResult) } };
  };
}

/** How many plants had each outcome, as metrics and the log name them. */
function countOutcomes(outcomes: readonly CreatedOrRejected[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) {
    const name = nameOf(outcome);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

function nameOf(outcome: CreatedOrRejected): string {
  if (outcome instanceof ServiceError) return outcome.errorName;
  return outcome.replayed ? 'replayed' : 'stored';
}

function isUnexpected(outcome: CreatedOrRejected): outcome is ServiceError {
  return outcome instanceof ServiceError && outcome.errorName === 'internal_error';
}

function toResult(outcome: CreatedOrRejected): CreateResult {
  if (!(outcome instanceof ServiceError)) return { status: 200, replayed: outcome.replayed };
  // One plant is rejected with no other status than those of the contract.
  return { status: outcome.status, ...outcome.body } as CreateResult;
}

/** Gives parameters in the path as they were sent: a value has one spelling there, and Express decodes any other to it. */
const keepPathParameters: RequestHandler = (request, _response, next) => {
  if (request.path.includes('%')) request.params = { ...matchPath(request.path)[0]?.params };
  next();
};

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
