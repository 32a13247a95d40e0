import { Int64ParameterSchema } from '@plant-store/contract';
import { messages } from '@plant-store/contract/messages';
import { internalError, ServiceError } from '@plant-store/records';

import type { Caller } from '../runtime/callers.js';

/** What a request has of a batch, and whose it is. */
export interface Batch {
  /** Not validated. */
  readonly items: readonly unknown[];
  readonly caller: Caller;
  /** Resolves, when some of those that are left may be begun, to how many. */
  awaitTurn(left: number): Promise<number>;
}

/**
 * Does something with each item of a batch, all of them at the same time.
 *
 * @returns what each returned, or threw, in order; none stops the others
 */
export async function runBatch<Result>(
  { items, awaitTurn }: Batch,
  runOne: (item: unknown) => Promise<Result>,
): Promise<(Result | ServiceError)[]> {
  const results: Promise<Result | ServiceError>[] = [];
  while (results.length < items.length) {
    const count = await awaitTurn(items.length - results.length);
    for (const item of items.slice(results.length, results.length + count))
      results.push(runOne(item).catch(toServiceError));
  }
  return Promise.all(results);
}

function toServiceError(error: unknown): ServiceError {
  return error instanceof ServiceError ? error : internalError(error);
}

/**
 * Reads an id of a batch.
 *
 * @throws {ServiceError} `bad_request` when it is not the digits of an int64 as text
 */
export function readId(text: unknown): bigint {
  const { data } = Int64ParameterSchema.safeParse(text);
  if (data === undefined) throw new ServiceError('bad_request', messages.invalidIdText);
  return data;
}
