import { ServiceError } from '@plant-store/records';
import { OverloadError } from '../../errors/service-error.js';
import type { Caller } from '../../runtime/callers.js';
import type { ListGate, Turn } from '../../runtime/list-gate.js';

/** A page of changes, and how long the engine took, as in `Listed`. */
interface Page<Change> {
  readonly changes: readonly Change[];
  readonly next: string;
  readonly readMs?: number | undefined;
}

interface Query {
  readonly after: string;
  readonly limit?: number | undefined;
}

/** The pause that each reply adds for its caller, in milliseconds: about ten times as long as sending a reply takes. */
const pausePerReplyMs = 2;
/** The pause that composing a page adds, as a multiple of the time it took. */
const composePauseFactor = 10;

/** How often to look for changes while requests wait, in milliseconds. Other processes make changes, too. */
const pollMs = 100;

interface FollowersOptions<Change> {
  readonly latest: () => Promise<string>;
  readonly read: (query: Query, turn: Turn) => Promise<Page<Change>>;
  readonly lists: ListGate;
  /** Composes the reply for a page that several requests share. */
  readonly compose: (page: Page<Change>) => void;
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
 * one caller for the same changes share one read. After each reply, the caller's requests pause, longer if more callers pause, so that most
 * of the server's time is left for creates. A caller never waits because of another caller's pause.
 */
export function createFollowChanges<Change>({
  latest: findLatest,
  read: readPage,
  lists,
  compose,
  draining,
}: FollowersOptions<Change>) {
  /** For each waiting request, a function that ends its wait. */
  const wakers = new Set<() => void>();
  const reads = new Map<string, Promise<Page<Change> | undefined>>();
  /** The position of the last change that polling found. */
  let lastFound: string | undefined;
  /** When each caller's pause ends, on the `performance.now()` clock. */
  const pauseEnds = new Map<Caller, number>();
  let isWatching = false;
  /** How often all requests were woken. */
  let wakeCount = 0;
  const wakeAll = () => {
    wakeCount++;
    for (const wake of [...wakers]) wake();
  };
  draining.addEventListener('abort', wakeAll);

  /** Extends a caller's pause, in proportion to the number of callers that pause. */
  function extendPause(caller: Caller, ms: number): void {
    const now = performance.now();
    for (const [each, until] of pauseEnds) if (until <= now) pauseEnds.delete(each);
    const until = pauseEnds.get(caller) ?? now;
    const callers = pauseEnds.has(caller) ? pauseEnds.size : pauseEnds.size + 1;
    pauseEnds.set(caller, until + ms * callers);
  }
  const remainingPauseMs = (caller: Caller) => Math.max(0, (pauseEnds.get(caller) ?? 0) - performance.now());

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

  /** Looks for changes while requests wait. */
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

  /** Reads a page, and composes its reply if it has changes. Resolves to `undefined` if the server is too busy to read. */
  async function readOnce({ query, caller }: FollowRequest): Promise<Page<Change> | undefined> {
    try {
      const read = (turn: Turn) => readPage(query, turn);
      const { changes, next } = await lists.read(caller, { isWanted: () => true, read });
      const page = { changes, next };
      const startedAt = performance.now();
      if (changes.length > 0) compose(page);
      extendPause(caller, composePauseFactor * (performance.now() - startedAt));
      return page;
    } catch (error) {
      if (error instanceof OverloadError) return undefined;
      throw error;
    }
  }

  function read(request: FollowRequest): Promise<Page<Change> | undefined> {
    // A read that started before the last wake-up might lack the change that caused it.
    const { caller, query } = request;
    const key = JSON.stringify([wakeCount, caller, query.after, query.limit]);
    const reading = reads.get(key) ?? readOnce(request).finally(() => reads.delete(key));
    reads.set(key, reading);
    return reading;
  }

  return async function followChanges(request: FollowRequest): Promise<Page<Change>> {
    const { query, waitMs, caller, gone } = request;
    const endsAt = performance.now() + waitMs;
    const isOver = () => performance.now() >= endsAt || draining.aborted || gone.aborted;
    for (;;) {
      while (remainingPauseMs(caller) > 0 && !isOver())
        await wait(Math.min(remainingPauseMs(caller), endsAt - performance.now()), gone);
      if (gone.reason instanceof ServiceError) throw gone.reason;
      const countBefore = wakeCount;
      const page = await read(request);
      const hasNews = page !== undefined && (page.changes.length > 0 || page.next !== query.after);
      if (hasNews || isOver()) {
        extendPause(caller, pausePerReplyMs);
        return page ?? { changes: [], next: query.after };
      }
      const remainingMs = endsAt - performance.now();
      // Nothing was read, so there might already be changes. Tries again soon.
      if (page === undefined) await wait(Math.min(pollMs, remainingMs), gone);
      // Waits for a wake-up, unless there was one during the read. Then it reads again immediately.
      else if (countBefore === wakeCount) await wait(remainingMs, gone);
    }
  };
}
