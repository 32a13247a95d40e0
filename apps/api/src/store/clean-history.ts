import { setTimeout as delay } from 'node:timers/promises';
import { type DatabaseLog, isDatabaseUnavailable } from './database.js';
import type { RecordStore } from './store.js';

/** The interval between two cleanups, in milliseconds. */
const intervalMs = 3_600_000;

/** The delays after the start and between two steps, in milliseconds. They let requests run first. */
const firstDelayMs = 1_000;
const stepDelayMs = 50;

/**
 * Removes expired states, a few at a time: shortly after the start, and then every hour. Several instances can do so at the same time. An
 * error ends the cleanup until the next hour, and is logged unless the database is unavailable.
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
    for (await wait(firstDelayMs); !signal.aborted; await wait(intervalMs)) await clean();
  }

  const running = run();
  return {
    stop() {
      stopped.abort();
      return running;
    },
  };
}
