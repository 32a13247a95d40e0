import { setTimeout as delay } from 'node:timers/promises';
import { type DatabaseLog, isDatabaseUnavailable } from './database.js';
import type { RecordStore } from './store.js';

/** What of a store keeps its history clean. */
type History = Pick<RecordStore, 'removeOldStates' | 'removeStrayStates'>;

/** How often old states are looked for, and how often those that version 1.4 has left, in milliseconds. */
const periodMs = 3_600_000;
const strayPeriodMs = 24 * periodMs;

/** How long it rests after the start, and between two steps, so that requests come first, in milliseconds. */
const firstRestMs = 1_000;
const restMs = 50;

/**
 * Removes states that were replaced longer ago than they are kept, a few at a time: from now on, and every hour. Several instances may
 * do so at the same time. An error is logged, and ends this until the next hour.
 */
export function cleanHistory(
  stores: Readonly<Record<string, History>>,
  log: Pick<DatabaseLog, 'warn'>,
): { stop(): Promise<void> } {
  const stopped = new AbortController();
  const { signal } = stopped;

  async function clean({ removeOldStates, removeStrayStates }: History, withStray: boolean): Promise<void> {
    while (!signal.aborted && (await removeOldStates())) await rest(restMs);
    if (!withStray || removeStrayStates === undefined) return;
    let after: bigint | undefined;
    do {
      after = await removeStrayStates(after);
      await rest(restMs);
    } while (!signal.aborted && after !== undefined);
  }

  const rest = (ms: number) => delay(ms, undefined, { signal, ref: false }).catch(() => undefined);

  async function run(): Promise<void> {
    await rest(firstRestMs);
    for (let hours = 0; !signal.aborted; hours++) {
      const withStray = (hours * periodMs) % strayPeriodMs === 0;
      for (const store of Object.values(stores))
        await clean(store, withStray).catch((error: unknown) => {
          // Others report that.
          if (isDatabaseUnavailable(error)) return;
          const err = error instanceof Error ? error : new Error(String(error));
          log.warn({ err }, 'could not remove old states of records');
        });
      await rest(periodMs);
    }
  }

  const running = run();
  return {
    stop() {
      stopped.abort();
      return running;
    },
  };
}
