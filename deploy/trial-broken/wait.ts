import { setTimeout as delay } from 'node:timers/promises';

/**
 * Polls until a condition holds.
 *
 * @param what the condition as a text, for the error
 * @throws {Error} if it does not hold within the time limit; whatever the signal is aborted with
 */
export async function until(
  what: string,
  condition: () => Promise<boolean> | boolean,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`After ${timeoutMs / 1_000} seconds: not ${what}`);
    await delay(100, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** Whether a URL is answered with status 200, within 2 seconds. */
export async function isOk(url: string): Promise<boolean> {
  const reply = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
  await reply?.arrayBuffer().catch(() => undefined);
  return reply?.status === 200;
}
