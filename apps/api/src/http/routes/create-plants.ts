import { type CreateResult, type contract, MAX_PLANTS } from '@plant-store/contract';
import { errors } from '@plant-store/contract/errors';
import { messages } from '@plant-store/contract/messages';
import type { AppRouteImplementation } from '@ts-rest/express';
import type { Logger } from 'pino';
import { ServiceError } from '../../errors/service-error.js';
import { createPlants } from '../../plants/create-plants.js';
import type { PlantQueue } from '../../plants/plant-store.js';
import type { ActiveCallers } from '../../runtime/active-callers.js';
import { costPerTurn, type Turns } from '../../runtime/turns.js';
import { callerOf } from '../middleware/bearer-auth.js';
import type { CountBatch } from '../middleware/rate-limit.js';

/** How many plants are validated and queued in a turn of the event loop, where others have something to do, too. */
const plantsPerTurn = 100;

/** The names of errors by their numbers. */
const errorNames = new Map<number, string>(Object.entries(errors).map(([name, { error }]) => [error, name]));

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
    await countBatch?.(res, plants.length);
    let firstError: unknown;
    const caller = callerOf(res.locals);
    const awaitTurn = async (left: number) => {
      // Those of several batches would otherwise be stored in turns, in no order of their ids, which takes SQLite longer.
      const count = callers.count() === 1 ? left : Math.min(left, plantsPerTurn);
      await turns.take(caller, (count / plantsPerTurn) * costPerTurn);
      return count;
    };
    const results = await createPlants(queue, plants, caller, awaitTurn, (error) => {
      firstError ??= error;
    });
    res.locals.outcomes = countOutcomes(results);
    if (firstError !== undefined) {
      log.error({ requestId: req.id, err: firstError }, 'plants of a batch could not be stored');
    }
    return { status: 200, body: { results } };
  };
}

/** How many plants had each outcome, as metrics and the log name them. */
function countOutcomes(results: readonly CreateResult[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const result of results) {
    const outcome =
      result.status === 200 ? storedOrReplayed(result) : (errorNames.get(result.error) ?? 'other');
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

const storedOrReplayed = ({ replayed }: { replayed: boolean }) => (replayed ? 'replayed' : 'stored');
