import type { AccessToken } from '@plant-store/records';
import { withTimeout } from '../runtime/timing.js';
import type { AccessTokenStore } from './token-service.js';

/** How old a token's stored last use must be before a new use replaces it, in milliseconds. */
export const lastUseResolutionMs = 3_600_000;

/** How long to collect uses before a write, in milliseconds, so that one write covers many tokens. */
export const collectionMs = 10_000;

/** The maximum number of tokens per write, which is limited because a write to SQLite blocks all requests. */
export const maxUsesPerWrite = 100;

/** How long to wait after a failed write before the next attempt, in milliseconds. */
export const retryMs = 60_000;

/** How long to wait for the last write when the service stops, in milliseconds. */
const closeTimeoutMs = 1_000;

/**
 * Creates a recorder that stores when access tokens were last used. It writes in the background, so it does not delay requests. After a failed
 * write, the recorder retries later with all uses noted by then. It logs only the first of several consecutive failures.
 */
export function createLastUseRecorder(
  store: Pick<AccessTokenStore, 'recordUses'>,
  log: { warn(fields: { readonly err: unknown }, message: string): void },
  now: () => number = Date.now,
) {
  const noted = new Map<number, Date>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<unknown> = Promise.resolve();
  /** Whether a write is in flight. The next write is scheduled only after this one ends. */
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

  async function write(): Promise<boolean> {
    isWriting = true;
    const uses = Array.from(noted, ([id, at]) => ({ id, at })).slice(0, maxUsesPerWrite);
    try {
      await store.recordUses(uses);
      // Uses noted during the write are only seconds newer than the stored ones, so they need no write of their own.
      for (const { id } of uses) noted.delete(id);
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.warn({ err: error }, 'could not record when tokens were last used');
      isFailing = true;
    }
    isWriting = false;
    if (noted.size > 0) schedule(isFailing ? retryMs : collectionMs);
    return !isFailing;
  }

  async function flush(): Promise<void> {
    while (noted.size > 0) if (!(await write())) return;
  }

  return {
    /** Notes that a token was used. Does nothing if the stored last use is recent. */
    note({ id, lastUsedAt }: Pick<AccessToken, 'id' | 'lastUsedAt'>): void {
      const at = now();
      if (isClosed || (lastUsedAt !== null && at - lastUsedAt.getTime() < lastUseResolutionMs)) return;
      noted.set(id, new Date(at));
      schedule(collectionMs);
    },
    /**
     * Stores the noted uses, and ignores later ones. Uses that cannot be stored in the available milliseconds, or within one second, are lost.
     * Never rejects.
     */
    async close(availableMs: number): Promise<void> {
      isClosed = true;
      clearTimeout(timer);
      const timeoutMs = Math.min(availableMs, closeTimeoutMs);
      if (timeoutMs <= 0) return;
      await withTimeout(writing.then(flush), timeoutMs, () => undefined);
    },
  };
}
