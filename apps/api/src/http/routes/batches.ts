import { type Batch, type Operations, ServiceError, showResults } from '@plant-store/records';
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import { overloadErrors } from '../../errors/service-error.js';
import type { ActiveCallers, Caller } from '../../runtime/callers.js';
import { costPerTurn, type Turns } from '../../runtime/turns.js';
import type { CallerMemory } from '../caller-memory.js';
import { callerOf } from '../middleware/bearer-auth.js';
import type { CountBatch } from '../middleware/rate-limit.js';

/** How many of a batch's records start in one turn of the event loop if other callers are active. */
const recordsPerTurn = 100;

/** How many bytes an item takes until the reply, in addition to its text: its parsed value, its promise, and its outcome. */
const bytesPerItem = 256;

export interface BatchDependencies {
  readonly memory: CallerMemory;
  readonly callers: ActiveCallers;
  /** Schedules work on the event loop, including large batches and bodies. */
  readonly turns: Turns;
  /** Counts the records of a batch for the rate limit, if there is one. */
  readonly countBatch?: CountBatch | undefined;
  readonly log: Logger;
}

/** Runs an operation on a batch, and returns the outcome that the log counts for each successful record. */
interface BatchOperation<Result> {
  run(batch: Batch, caller: Caller): Promise<(Result | ServiceError)[]>;
  outcomeOf(result: Result): string;
}

/** Creates a handler for batches of any operation. The handler replies with a result for each item, in the same sequence. */
export function createBatchHandler({ turns, memory, callers, countBatch, log }: BatchDependencies) {
  return async function answerBatch<Result extends object>(
    { requireBatch, resource }: Operations<object>,
    items: readonly unknown[],
    req: Request,
    res: Response,
    { run, outcomeOf }: BatchOperation<Result>,
  ) {
    requireBatch({ items });
    countBatch?.(res, items.length, resource);
    if (!memory.holdParsed(res, items.length * bytesPerItem)) throw overloadErrors.body_bytes;
    const caller = callerOf(res.locals);
    const awaitTurn = async (remaining: number) => {
      // Does not divide a single caller's batches: their records would mix, and SQLite stores records out of ID order more slowly.
      const count = callers.count() === 1 ? remaining : Math.min(remaining, recordsPerTurn);
      await turns.wait(caller, (count / recordsPerTurn) * costPerTurn);
      return count;
    };
    const results = await run({ items, awaitTurn }, caller).finally(memory.beginWork(res));
    const counts: Record<string, number> = {};
    let unexpected: ServiceError | undefined;
    for (const result of results) {
      const key = result instanceof ServiceError ? result.errorName : outcomeOf(result);
      counts[key] = (counts[key] ?? 0) + 1;
      if (key === 'internal_error' && result instanceof ServiceError) unexpected ??= result;
    }
    res.locals.outcomes = counts;
    if (unexpected !== undefined)
      log.error({ requestId: req.id, err: unexpected.cause }, `some ${resource.plural} in a batch failed`);
    return { status: 200, body: showResults(results) };
  };
}
