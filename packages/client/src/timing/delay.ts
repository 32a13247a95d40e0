import { timeoutReason, withTimeout } from './with-timeout.js';

/** Waits some milliseconds. Rejects with the signal's reason as soon as that is aborted. */
export async function delay(ms: number, signal?: AbortSignal): Promise<void> {
  await withTimeout(() => new Promise<never>(() => undefined), ms, signal).catch((error: unknown) => {
    if (error !== timeoutReason) throw error;
  });
}
