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

/** How long the requests of a caller pause for each reply, in milliseconds: about ten times as long as a reply takes. */
const restPerReplyMs = 2;
/** The pause after composing a page, as a multiple of the time that took. */
const restFactor = 10;

interface FollowersOptions<Change> {
  readonly latest: () => Promise<string>;
  readonly read: (query: Query, turn: Turn) => Promise<Page<Change>>;
  readonly lists: ListGate;
  /** Composes the reply of a page that several requests get. */
  readonly compose: (page: Page<Change>) => void;
  /** How often the last change is looked up while requests wait, in milliseconds: another process may have made it. */
  readonly pollMs?: number;
  readonly draining: AbortSignal;
}

/** A request for the changes after a position that waits until there are some. */
interface Following {
  readonly query: Query;
  readonly waitMs: number;
  readonly caller: Caller;
  /**
   * Aborted once its client has disconnected or closed its sending side, which look the same. The request is then answered at once, or
   * rejected if the reason is a `ServiceError`.
   */
  readonly gone: AbortSignal;
}

/**
 * Creates a function that resolves to the changes after a position once there are some, or to none after a time. Requests of a caller for
 * the same changes share a read. After replies, the caller's requests pause, longer if more callers follow, so that creates get most of the
 * time. A caller never waits because of another caller's pause.
 */
export function createFollowChanges<Change>({
  latest: findLatest,
  read: readPage,
  lists,
  compose,
  pollMs = 100,
  draining,
}: FollowersOptions<Change>) {
  /** Ends the wait of each request. */
  const waiting = new Set<() => void>();
  const reads = new Map<string, Promise<Page<Change> | undefined>>();
  let latest: string | undefined;
  /** Until when the requests of each caller pause. */
  const rests = new Map<Caller, number>();
  let isWatching = false;
  let wakes = 0;
  const wakeAll = () => {
    wakes++;
    for (const wake of [...waiting]) wake();
  };
  draining.addEventListener('abort', wakeAll);

  function rest(caller: Caller, ms: number): void {
    const now = performance.now();
    for (const [each, until] of rests) if (until <= now) rests.delete(each);
    const until = rests.get(caller) ?? now;
    const callers = rests.has(caller) ? rests.size : rests.size + 1;
    rests.set(caller, until + ms * callers);
  }
  const restMs = (caller: Caller) => Math.max(0, (rests.get(caller) ?? 0) - performance.now());

  function wait(ms: number, gone: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        gone.removeEventListener('abort', wake);
        waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      gone.addEventListener('abort', wake);
      waiting.add(wake);
      watch();
    });
  }

  /** Looks for changes while requests wait. */
  function watch(): void {
    if (isWatching || waiting.size === 0) return;
    isWatching = true;
    setTimeout(async () => {
      // Errors are ignored here, because the request reads again and reports them.
      const found = await findLatest().catch(() => undefined);
      isWatching = false;
      if (found === undefined || found !== latest) wakeAll();
      latest = found;
      watch();
    }, pollMs).unref();
  }

  /** Reads the changes once for all requests that want them now. Resolves to `undefined` if too many lists wait. */
  async function readOnce({ query, caller }: Following): Promise<Page<Change> | undefined> {
    try {
      const read = (turn: Turn) => readPage(query, turn);
      const { changes, next } = await lists.read(caller, { isWanted: () => true, read });
      const page = { changes, next };
      const startedAt = performance.now();
      if (changes.length > 0) compose(page);
      rest(caller, restFactor * (performance.now() - startedAt));
      return page;
    } catch (error) {
      if (error instanceof OverloadError) return undefined;
      throw error;
    }
  }

  function read(following: Following): Promise<Page<Change> | undefined> {
    // A read that began before the last wake-up may lack the change that caused it.
    const { caller, query } = following;
    const key = JSON.stringify([wakes, caller, query.after, query.limit]);
    const reading = reads.get(key) ?? readOnce(following).finally(() => reads.delete(key));
    reads.set(key, reading);
    return reading;
  }

  return async function followChanges(following: Following): Promise<Page<Change>> {
    const { query, waitMs, caller, gone } = following;
    const endsAt = performance.now() + waitMs;
    const isOver = () => performance.now() >= endsAt || draining.aborted || gone.aborted;
    for (;;) {
      while (restMs(caller) > 0 && !isOver())
        await wait(Math.min(restMs(caller), endsAt - performance.now()), gone);
      if (gone.reason instanceof ServiceError) throw gone.reason;
      const seen = wakes;
      const page = await read(following);
      const isNews = page !== undefined && (page.changes.length > 0 || page.next !== query.after);
      if (isNews || isOver()) {
        rest(caller, restPerReplyMs);
        return page ?? { changes: [], next: query.after };
      }
      const leftMs = endsAt - performance.now();
      // There may be changes that were not read.
      if (page === undefined) await wait(Math.min(pollMs, leftMs), gone);
      // Otherwise there was a change since it was read.
      else if (seen === wakes) await wait(leftMs, gone);
    }
  };
}
