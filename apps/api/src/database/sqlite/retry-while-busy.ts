import { setTimeout as sleep } from 'node:timers/promises';
import { isBusy } from './errors/driver-error.js';

/** How long to wait before the next try, in milliseconds. */
const pauseMs = 10;

/**
 * Runs an action, again and again while another process holds the file, until the time is over. It waits without
 * blocking the thread, which SQLite's own busy timeout would do.
 *
 * @throws what the last try threw
 */
export async function retryWhileBusy<Result>(
  action: () => Promise<Result>,
  timeoutMs: number,
): Promise<Result> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
      await sleep(pauseMs);
    }
  }
}
