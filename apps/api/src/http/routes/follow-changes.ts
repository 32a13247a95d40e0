import { ServiceError } from '@plant-store/records';
import { OverloadError } from '../../errors/service-error.js';
import type { Caller } from '../../runtime/callers.js';
import type { ListGate, Turn } from '../../runtime/list-gate.js';

interface Page<Change> {
  readonly changes: readonly Change[];
  readonly next: string;
  /** How long the engine took, in milliseconds. */
  readonly readMs?: number | undefined;
}

interface Query {
  readonly after: string;
  readonly limit?: number | undefined;
}

/** The pause for each reply, in milliseconds: about ten times as long as sending a reply takes. */
const pausePerReplyMs = 2;
/** The pause for serializing a page, as a multiple of the time it took. */
const serializePauseFactor = 10;

/** How often to look for changes while requests wait, in milliseconds. Other processes make changes, too. */
const pollMs = 100;

interface FollowersOptions<Change> {
  /** Resolves to the position of the last change. */
  readonly findLatest: () => Promise<string>;
  readonly queryPage: (query: Query, turn: Turn) => Promise<Page<Change>>;
  readonly lists: ListGate;
  /** Serializes a page once for all requests that share it. Caches the result by page object, so replies must use the same object. */
  readonly serialize: (page: Page<Change>) => void;
  readonly draining: AbortSignal;
}

/** A request that waits for changes after a position. */
interface FollowRequest {
  readonly query: Query;
  /** How long to wait for changes, in milliseconds. */
  readonly waitMs: number;
  readonly caller: Caller;
  /**
   * Aborted when the client disconnects. A client that closes only its sending side looks the same, but can still expect a reply. So the
   * request is answered immediately, or rejected with the signal's reason if that is a `ServiceError`.
   */
  readonly gone: AbortSignal;
}

/**
 * Creates a function that resolves to the changes after a position once there are some, or to none when the wait time is over. Requests of
 * one caller for the same changes share one read. After each reply, the caller's requests pause (see `extendPause`).
 */
export function createFollowChanges<Change>({
  findLatest,
  queryPage,
  lists,
  serialize,
  draining,
}: FollowersOptions<Change>) {
  /** For each waiting request, a function that ends its wait. */
  const wakers = new Set<() => void>();
  /** The reads in flight, by the key of `readShared`. */
  const sharedReads = new Map<string, Promise<Page<Change> | undefined>>();
  /** The position of the last change that polling found. */
  let lastFound: string | undefined;
  /** When each caller's pause ends, on the `performance.now()` clock. */
  const pauseEnds = new Map<Caller, number>();
  let isWatching = false;
  /** How many times all waiting requests were woken. */
  let wakeCount = 0;
  const wakeAll = () => {
    wakeCount++;
    for (const wake of [...wakers]) wake();
  };
  draining.addEventListener('abort', wakeAll);

  /**
   * Extends a caller's pause by `ms`, multiplied by the number of paused callers, including this one. So following uses only a small share
   * of the server's time, however many callers follow. A caller never waits because of another caller's pause.
   */
  function extendPause(caller: Caller, ms: number): void {
    const now = performance.now();
    for (const [each, until] of pauseEnds) if (until <= now) pauseEnds.delete(each);
    const until = pauseEnds.get(caller) ?? now;
    const callers = pauseEnds.has(caller) ? pauseEnds.size : pauseEnds.size + 1;
    pauseEnds.set(caller, until + ms * callers);
  }
  const remainingPauseMs = (caller: Caller) => Math.max(0, (pauseEnds.get(caller) ?? 0) - performance.now());

  /** Resolves after `ms`, or earlier if the requests are woken or the client disconnects. */
  function wait(ms: number, gone: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        gone.removeEventListener('abort', wake);
        wakers.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      gone.addEventListener('abort', wake);
      wakers.add(wake);
      watch();
    });
  }

  /** Polls for changes while requests wait, and wakes them. */
  function watch(): void {
    if (isWatching || wakers.size === 0) return;
    isWatching = true;
    setTimeout(async () => {
      const found = await findLatest().catch(() => undefined);
      isWatching = false;
      // If the lookup failed, wake the requests, so that they read again and report the error.
      if (found === undefined || found !== lastFound) wakeAll();
      lastFound = found;
      watch();
    }, pollMs).unref();
  }

  /** Reads a page once it is the caller's turn. Resolves to `undefined` if the server is too busy to read. */
  async function readThroughGate({ query, caller }: FollowRequest): Promise<Page<Change> | undefined> {
    try {
      const read = (turn: Turn) => queryPage(query, turn);
      const { changes, next } = await lists.read(caller, { isWanted: () => true, read });
      const page = { changes, next };
      const startedAt = performance.now();
      if (changes.length > 0) serialize(page);
      extendPause(caller, serializePauseFactor * (performance.now() - startedAt));
      return page;
    } catch (error) {
      if (error instanceof OverloadError) return undefined;
      throw error;
    }
  }

  /** Reads a page together with the caller's other requests for it. */
  function readShared(request: FollowRequest): Promise<Page<Change> | undefined> {
    const { caller, query } = request;
    // The key includes `wakeCount`, because a read that started before the last wake-up can miss the change that caused the wake-up.
    const key = JSON.stringify([wakeCount, caller, query.after, query.limit]);
    const read = sharedReads.get(key) ?? readThroughGate(request).finally(() => sharedReads.delete(key));
    sharedReads.set(key, read);
    return read;
  }

  return async function followChanges(request: FollowRequest): Promise<Page<Change>> {
    const { query, waitMs, caller, gone } = request;
    const endsAt = performance.now() + waitMs;
    const isOver = () => performance.now() >= endsAt || draining.aborted || gone.aborted;
    for (;;) {
      while (remainingPauseMs(caller) > 0 && !isOver())
        await wait(Math.min(remainingPauseMs(caller), endsAt - performance.now()), gone);
      if (gone.reason instanceof ServiceError) throw gone.reason;
      const wakeCountBefore = wakeCount;
      const page = await readShared(request);
      const hasNews = page !== undefined && (page.changes.length > 0 || page.next !== query.after);
      if (hasNews || isOver()) {
        extendPause(caller, pausePerReplyMs);
        return page ?? { changes: [], next: query.after };
      }
      const remainingMs = endsAt - performance.now();
      if (page === undefined) {
        // The server was too busy to read, so there might already be changes. Read again soon.
        await wait(Math.min(pollMs, remainingMs), gone);
      } else if (wakeCountBefore === wakeCount) {
        // No request was woken during the read, so wait for the next wake-up. Otherwise, read again immediately.
        await wait(remainingMs, gone);
      }
    }
  };
}
