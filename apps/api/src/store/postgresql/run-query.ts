import { setTimeout as sleep } from 'node:timers/promises';
import pg, { type Pool, type QueryArrayConfig } from 'pg';
import { toServiceError } from '../database.js';
import type { QueryWrapper } from '../table.js';
import { rejectAfter } from './connection.js';
import { findDriverError, isConflict, meaningOf } from './errors.js';

export interface Statement {
  readonly sql: string;
  readonly args?: readonly unknown[];
  /** A name for a frequent statement, so that each connection keeps its plan. */
  readonly name?: string | undefined;
}

/**
 * Runs a statement, and returns the values of its rows. Booleans are booleans, and all other values are text, which is exact. A statement
 * without arguments can be followed by others, separated by semicolons, in the same transaction.
 */
export type Query = (statement: Statement) => Promise<readonly (readonly unknown[])[]>;

/** Creates a function that runs statements on the connections of a pool. */
export function createQuery(pool: Pick<Pool, 'query'>): Query {
  return async ({ sql, args = [], name }) => {
    const query: QueryArrayConfig = { text: sql, values: [...args], name, rowMode: 'array', types };
    const result = await pool.query<unknown[]>(query);
    // For several statements, the driver returns an array of results, which its types omit.
    return [result].flat()[0]?.rows ?? [];
  };
}

/**
 * Keeps all values except booleans as text. Parsing takes time in the driver, and Prisma's adapter would convert some values to numbers.
 */
const types = {
  getTypeParser: ((type: number) =>
    type === pg.types.builtins.BOOL
      ? (value: string) => value === 't'
      : (value: string) => value) as typeof pg.types.getTypeParser,
};

/**
 * Creates a function that runs a query, and converts a failure of the database, as opposed to one of the query, to a `ServiceError`:
 * `database_unavailable` with `Retry-After`, or `database_damaged`. The function throws an `Error` with PostgreSQL's code and message for
 * other PostgreSQL errors, and any other error unchanged. After `database_unavailable`, the outcome of the query is unknown.
 *
 * @param queryTimeoutMs the timeout of a query, in milliseconds. The connection stays in use until the query ends: if the server waits for
 * a long time, such as for a standby, every timed-out query would otherwise cost another connection.
 */
export function createRunQuery(queryTimeoutMs: number): QueryWrapper {
  return async function runQuery(query) {
    const timeout = new AbortController();
    try {
      return await rejectAfter(queryTimeoutMs, retryConflicts(query, timeout.signal));
    } catch (error) {
      timeout.abort();
      const driverError = findDriverError(error);
      if (driverError === undefined) throw error;
      throw toServiceError(error, driverError, meaningOf(driverError.code));
    }
  };
}

export const maxAttempts = 5;

/** The maximum delay after the first attempt, in milliseconds. It doubles with each attempt. */
const firstDelayMs = 10;

/**
 * Runs a query, and retries it while it conflicts with other transactions (40001, 40P01). A delay keeps the same queries from conflicting
 * again. The query must be idempotent.
 *
 * @param signal ends the attempts
 * @throws the error of the last attempt
 */
export async function retryConflicts<Result>(
  query: () => Promise<Result>,
  signal: AbortSignal,
  wait: (delayMs: number) => Promise<unknown> = sleep,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await query();
    } catch (error) {
      const driverError = findDriverError(error);
      if (attempt === maxAttempts || driverError === undefined || !isConflict(driverError)) throw error;
      if (!signal.aborted) await wait(conflictDelayMs(attempt));
      if (signal.aborted) throw error;
    }
  }
}

/**
 * Returns the delay after an attempt, in milliseconds: exponential with full jitter
 * (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
 */
export function conflictDelayMs(attempt: number, random = Math.random()): number {
  return random * firstDelayMs * 2 ** (attempt - 1);
}
