import { setTimeout as delay } from 'node:timers/promises';

/**
 * Waits for a promise, but no longer than a timeout in milliseconds; what it stands for goes on after that.
 *
 * @returns whether it resolved in time
 * @throws what it rejects with in time; a later rejection is ignored
 */
export async function completesWithin(timeoutMs: number, promise: Promise<void>): Promise<boolean> {
  const timer = new AbortController();
  try {
    const { signal } = timer;
    return await Promise.race([promise.then(() => true), delay(Math.max(0, timeoutMs), false, { signal })]);
  } finally {
    timer.abort();
  }
}
