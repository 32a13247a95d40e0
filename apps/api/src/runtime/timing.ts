import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits for a promise with a timeout in milliseconds. The underlying work continues after the timeout, and a later rejection is ignored.
 *
 * @param onTimeout returns the result after the timeout, or throws
 * @param signal aborting it ends the timeout immediately
 */
export async function withTimeout<Result, Late>(
  promise: Promise<Result>,
  timeoutMs: number,
  onTimeout: () => Late,
  signal?: AbortSignal,
): Promise<Result | Late> {
  const { promise: timeout, resolve } = Promise.withResolvers<void>();
  const end = () => resolve();
  const timer = setTimeout(end, timeoutMs);
  if (signal?.aborted) end();
  signal?.addEventListener('abort', end);
  try {
    return await Promise.race([promise, timeout.then(onTimeout)]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}

/** Returns a function whose concurrent calls share one run of an action. */
export function shareInFlight<Result>(action: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined;
  return () => {
    running ??= action().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** Blocks the thread for a time, in milliseconds. */
export function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** How long to retry, and how long to wait between attempts, in milliseconds. */
export interface RetryPolicy {
  readonly timeoutMs: number;
  readonly delayMs: number;
}

/**
 * Runs an action, and retries it until it succeeds, fails with a nonretryable error, or the timeout is over. The action must be idempotent.
 *
 * @param signal aborting it ends the current delay immediately, and one last attempt follows
 * @throws the error of the last attempt
 */
export async function retry<Result>(
  action: () => Promise<Result>,
  isRetryable: (error: unknown) => boolean,
  { timeoutMs, delayMs }: RetryPolicy,
  signal?: AbortSignal,
): Promise<Result> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!isRetryable(error) || signal?.aborted || performance.now() + delayMs > deadline) throw error;
    }
    await sleep(delayMs, undefined, { ...(signal && { signal }) }).catch(() => undefined);
  }
}

/**
 * How long each step of a stop can take once the shutdown timeout is over, in milliseconds. The steps run one after the other. Together,
 * they take well below the 2 seconds that docs/operate/deploy.md promises.
 */
export const stopTimeouts = {
  /** To close the database, which can hang. */
  databaseMs: 500,
  /** To answer a request on the admin port. */
  adminMs: 250,
  /** To write the log, whose reader can hang. */
  logMs: 500,
  /** To exit normally, which a blocked write can prevent. */
  processMs: 250,
};

/**
 * How long each step of a stop with workers can take once the shutdown timeout is over, in milliseconds. The steps of `adminMs`, `logMs`,
 * and `processMs` follow. All together, they take well below the 3 seconds that docs/operate/deploy.md promises.
 */
export const clusterStopTimeouts = {
  /** For workers to close their database connections and their log. */
  workersMs: stopTimeouts.databaseMs + stopTimeouts.logMs,
  /** To close the database of the primary process, which stores nothing. */
  databaseMs: 250,
};
