import type { AccessToken } from '@plant-store/records';
import { withTimeout } from '../runtime/timing.js';
import type { AccessTokenStore } from './token-service.js';

/** How old the stored last use must be before a new one replaces it, in milliseconds. */
export const lastUseResolutionMs = 3_600_000;

/** How long uses are collected, so that one write covers many tokens, in milliseconds. */
export const collectionMs = 10_000;

/** Maximum tokens per write. On SQLite, a write blocks requests while it runs. */
export const maxUsesPerWrite = 100;

export const retryMs = 60_000;

/** Maximum time that a stop waits for the last write, in milliseconds. */
const closeTimeoutMs = 1_000;

/**
 * Creates a recorder of the last use of access tokens, outside the request path. A failed write is retried later with all uses noted so
 * far. It delays no request, and only the first of several consecutive failures is logged.
 */
export function createLastUseRecorder(
  store: Pick<AccessTokenStore, 'recordUses'>,
  log: { warn(fields: { readonly err: unknown }, message: string): void },
  now: () => number = Date.now,
) {
  const noted = new Map<number, Date>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<unknown> = Promise.resolve();
  /** Only one write is in flight: the next one is scheduled when it ends. */
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
      // Uses noted during the write are at most seconds later, so they need no write.
      for (const { id } of uses) noted.delete(id);
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.warn({ err: error }, 'could not store when tokens were used');
      isFailing = true;
    }
    isWriting = false;
    if (noted.size > 0) schedule(isFailing ? retryMs : collectionMs);
    return !isFailing;
  }

  async function writeRest(): Promise<void> {
    while (noted.size > 0) if (!(await write())) return;
  }

  return {
    /** Notes that a token is in use. Cheap unless the stored time is too old. */
    note({ id, lastUsedAt }: Pick<AccessToken, 'id' | 'lastUsedAt'>): void {
      const at = now();
      if (isClosed || (lastUsedAt !== null && at - lastUsedAt.getTime() < lastUseResolutionMs)) return;
      noted.set(id, new Date(at));
      schedule(collectionMs);
    },
    /**
     * Stores the noted uses, and drops what is not stored within a second or within the time available, in milliseconds. Later notes are
     * ignored. Never rejects.
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
