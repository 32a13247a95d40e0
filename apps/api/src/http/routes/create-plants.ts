import { type CreateResult, type contract, MAX_PLANTS } from '@plant-store/contract';
import { messages } from '@plant-store/contract/messages';
import type { AppRouteImplementation } from '@ts-rest/express';
import type { Logger } from 'pino';
import { ServiceError } from '../../errors/service-error.js';
import { type CreatedOrRejected, createPlants } from '../../plants/create-plants.js';
import type { PlantQueue } from '../../plants/plant-store.js';
import type { ActiveCallers } from '../../runtime/callers.js';
import { costPerTurn, type Turns } from '../../runtime/turns.js';
import { callerOf } from '../middleware/bearer-auth.js';
import type { CountBatch } from '../middleware/rate-limit.js';

/** How many plants are validated and queued in a turn of the event loop, where others have something to do, too. */
const plantsPerTurn = 100;

/** What batches depend on. */
export interface BatchDependencies {
  readonly queue: PlantQueue;
  /** What the event loop has to do, large batches and bodies among it. */
  readonly turns: Turns;
  /** Who calls the service at the moment. */
  readonly callers: Pick<ActiveCallers, 'count'>;
  /** Counts the plants of a batch for the rate limit, if there is one. */
  readonly countBatch?: CountBatch | undefined;
  readonly log: Logger;
}

/** Answers `createPlants`. */
export function createPlantsHandler({
  queue,
  turns,
  callers,
  countBatch,
  log,
}: BatchDependencies): AppRouteImplementation<typeof contract.createPlants> {
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
