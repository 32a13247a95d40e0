import { setTimeout as delay } from 'node:timers/promises';
import { type DatabaseLog, isDatabaseUnavailable } from './database.js';
import type { RecordStore } from './store.js';

/** How often old states are removed, in milliseconds. */
const periodMs = 3_600_000;

/** The delay after the start, and between two steps, so that requests come first, in milliseconds. */
const firstDelayMs = 1_000;
const stepDelayMs = 50;

/**
 * Removes expired states, a few at a time: now, and then every hour. Several instances may do so at the same time. An error is logged, and
 * ends the run until the next hour.
 */
export function cleanHistory(
  stores: Readonly<Record<string, Pick<RecordStore, 'removeOldStates'>>>,
  log: Pick<DatabaseLog, 'warn'>,
): { stop(): Promise<void> } {
  const stopped = new AbortController();
  const { signal } = stopped;
  const wait = (ms: number) => delay(ms, undefined, { signal, ref: false }).catch(() => undefined);

  async function clean(): Promise<void> {
    try {
      for (const { removeOldStates } of Object.values(stores))
        while (!signal.aborted && (await removeOldStates())) await wait(stepDelayMs);
    } catch (error) {
      // Outages are reported elsewhere.
      if (isDatabaseUnavailable(error)) return;
      const err = error instanceof Error ? error : new Error(String(error));
      log.warn({ err }, 'could not remove old record states');
    }
  }

  async function run(): Promise<void> {
    for (await wait(firstDelayMs); !signal.aborted; await wait(periodMs)) await clean();
  }

  const running = run();
  return {
    stop() {
      stopped.abort();
      return running;
    },
  };
}
