import { setTimeout as delay } from 'node:timers/promises';

/**
 * Waits for work, but no longer than a time in milliseconds; work that is not done by then goes on.
 *
 * @returns whether it was done in time
 * @throws what the work throws in time; a later error is ignored
 */
export async function completesWithin(timeoutMs: number, work: Promise<void>): Promise<boolean> {
  const timer = new AbortController();
  try {
    const { signal } = timer;
    return await Promise.race([work.then(() => true), delay(Math.max(0, timeoutMs), false, { signal })]);
  } finally {
    timer.abort();
  }
}
