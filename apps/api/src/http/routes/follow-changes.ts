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

/** Which changes a page has. */
interface Query {
  readonly after: string;
  readonly limit?: number | undefined;
}

/** How long the requests of a caller rest for each of them that was answered, in milliseconds: some ten times as long as that takes. */
const restPerReplyMs = 2;
/** How many times as long as a page took to compose. */
const restFactor = 10;

/** What followers depend on. */
interface FollowersOptions<Change> {
  /** Returns the position of now. */
  readonly latest: () => Promise<string>;
  /** Returns a page. */
  readonly read: (query: Query, turn: Turn) => Promise<Page<Change>>;
  readonly lists: ListGate;
  /** Composes the reply of a page that several requests get. */
  readonly compose: (page: Page<Change>) => void;
  /** How often the last change is looked up while requests wait, in milliseconds: another process may have made it. */
  readonly pollMs?: number;
  /** Once aborted, no request waits any more. */
  readonly draining: AbortSignal;
}

/** A request for the changes after a position that waits until there are some. */
interface Following {
  readonly query: Query;
  readonly waitMs: number;
  readonly caller: Caller;
  /**
   * Aborted once its client has disconnected, or sends nothing more, which looks alike: then it is answered at once. With a
   * `ServiceError` as its reason it is rejected with that.
   */
  readonly gone: AbortSignal;
}

/**
 * Creates a function that resolves to the changes after a position once there are some, or to none after a time. Requests of a caller for
 * the same changes share a read, and all of it rest after replies, for longer the more callers do, so that creates have most of the
 * time however many follow. Nobody waits for the rest of another caller.
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
  /** Until when the requests of callers rest. */
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
      // An error is that of the request, which reads again.
      const found = await findLatest().catch(() => undefined);
      isWatching = false;
      if (found === undefined || found !== latest) wakeAll();
      latest = found;
      watch();
    }, pollMs).unref();
  }

  /** Reads the changes once for all requests that want them now; resolves to `undefined` where too many lists wait. */
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
    // One that began before the last wake may lack what that was for.
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
