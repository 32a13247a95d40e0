import type { AccessToken } from '@plant-store/records';
import { withTimeout } from '../runtime/timing.js';
import type { AccessTokenStore } from './token-service.js';

/** How old the stored time of a token's last use is before a later one is stored, in milliseconds. */
export const lastUseResolutionMs = 3_600_000;

/** How long uses are collected, so that one write stores those of many tokens, in milliseconds. */
export const collectMs = 10_000;

/** How many tokens one write stores at most; the rest follows in the next. On SQLite a write holds up requests meanwhile. */
export const maxUsesPerWrite = 100;

/** How long after a write that failed the next one follows, in milliseconds. */
export const retryMs = 60_000;

/** How long a stop waits for the last write at most, in milliseconds. */
const closeTimeoutMs = 1_000;

/**
 * Creates what records when access tokens were last used, off the path of requests. A write that fails is retried later, with what was noted until then; it delays no
 * request, and only the first of several failures is logged.
 *
 * @param now returns the time in milliseconds since the epoch
 */
export function createLastUseRecorder(
  store: Pick<AccessTokenStore, 'recordUses'>,
  log: { warn(fields: { readonly err: unknown }, message: string): void },
  now: () => number = Date.now,
) {
  const noted = new Map<number, Date>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<unknown> = Promise.resolve();
  /** The next write is scheduled when the one in flight has ended. */
  let isWriting = false;
  let isFailing = false;
  let isClosed = false;

  function schedule(delayMs: number): void {
    if (timer !== undefined || isWriting || isClosed) return;
    timer = setTimeout(() => {
      timer = undefined;
      writing = write();
    }, delayMs).unref();
  }

  /** Returns whether it succeeded. */
  async function write(): Promise<boolean> {
    isWriting = true;
    isFailing = !(await storeSome());
    isWriting = false;
    if (noted.size > 0) schedule(isFailing ? retryMs : collectMs);
    return !isFailing;
  }

  async function storeSome(): Promise<boolean> {
    const uses = Array.from(noted, ([id, at]) => ({ id, at })).slice(0, maxUsesPerWrite);
    try {
      await store.recordUses(uses);
      // What was noted meanwhile is hardly later.
      for (const { id } of uses) noted.delete(id);
      return true;
    } catch (error) {
      if (!isFailing) log.warn({ err: error }, 'could not store when tokens were used');
      return false;
    }
  }

  async function writeRest(): Promise<void> {
    while (noted.size > 0) {
      if (!(await write())) return;
    }
  }

  return {
    /** Notes that a token is used now. It only compares times, unless the stored one is too old. */
    note({ id, lastUsedAt }: Pick<AccessToken, 'id' | 'lastUsedAt'>): void {
      const at = now();
      if (isClosed || (lastUsedAt !== null && at - lastUsedAt.getTime() < lastUseResolutionMs)) return;
      noted.set(id, new Date(at));
      schedule(collectMs);
    },
    /**
     * Stores what is noted, if that takes no longer than a second and than the time available, in milliseconds; otherwise it
     * is dropped. Later notes are ignored. It never rejects.
     */
    async close(availableMs: number): Promise<void> {
      isClosed = true;
      clearTimeout(timer);
      const timeoutMs = Math.min(availableMs, closeTimeoutMs);
      if (timeoutMs <= 0) return;
      await withTimeout(writing.then(writeRest), timeoutMs, () => undefined);
    },
  };
}
