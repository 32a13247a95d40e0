import { ClientGoneError, overloadErrors } from '../errors/service-error.js';
import { ActiveCallers, Budget, type Caller, FairQueue } from './callers.js';

/**
 * The maximum number of lists that wait or are being read. A list is a request that reads many records, such as a page or a count. One
 * caller can have at most as many lists as are left free.
 */
const maxLists = 256;

/**
 * After a list, its caller pauses for this many times the read's duration if creates are always waiting and no other caller is active. The
 * work after a read, such as sending the reply, takes time that creates need.
 */
const maxPauseFactor = 40;
/** How long the request and the reply of a list take, in addition to the read, in milliseconds. */
const replyMs = 2;
/** The same for each further request that shares the read. */
const sharedReplyMs = 0.2;
const maxPauseMs = 1_000;
/** How much read time a caller can use in advance of its share, in milliseconds. */
const burstMs = 50;

/** Reads lists, a few at a time. The others wait, and callers take turns. */
export type ListGate = ReturnType<typeof createListGate>;

interface ListRequest<Result extends TimedResult> {
  /** Waiting requests of one caller with the same key share one read. Without a key, a request is read on its own. */
  readonly shareKey?: unknown;
  /** Whether the request's client is still connected; if not, the list is not read. */
  isWanted(): boolean;
  read(turn: Turn): Promise<Result>;
}

/** Lets a read share the time with other reads. */
export interface Turn {
  /** Returns the caller's share of the time, from 0 to 1. All active callers have equal shares. */
  readonly share: () => number;
  /**
   * Yields to other lists. Resolves when this list can continue.
   *
   * @throws {ClientGoneError} when the client of the list has disconnected
   */
  next(): Promise<void>;
}

interface TimedResult {
  /** How long the engine took, in milliseconds. Without it, the time until `read` resolves counts. */
  readonly readMs?: number | undefined;
}

interface WaitingRequest<Result> {
  isWanted(): boolean;
  /** Requests with the same key have results of the same type. */
  resolve(result: Promise<Result>): void;
}

interface ListGateOptions {
  /** The number of slots: how many lists can be read at the same time. */
  readonly concurrency: number;
  readonly callers: Pick<ActiveCallers, 'count'>;
  /** Whether the caller has room for a list's reply. */
  readonly hasRoom?: (caller: Caller) => boolean;
  /** Returns the recent share of time in which a create waited, from 0 to 1. */
  readonly waitingShare: () => number;
}

export function createListGate({
  concurrency,
  callers,
  hasRoom = () => true,
  waitingShare,
}: ListGateOptions) {
  const budget = new Budget(maxLists);
  /** Functions that run or continue a read, by caller. */
  const waiting = new FairQueue<() => void>();
  /** For each key, the requests that will share a read that has not started yet. */
  const waitingByKey = new Map<string, WaitingRequest<TimedResult>[]>();
  /** For each paused caller, the timer that ends the pause. */
  const pauses = new Map<Caller, NodeJS.Timeout>();
  /** The callers that recently requested lists. */
  const readers = new ActiveCallers();
  /** When each caller will have used up its share, on the `performance.now()` clock. */
  const usedUntil = new Map<Caller, number>();
  /** How many lists are being read, in total and for each caller. */
  let readingCount = 0;
  const readingCounts = new Map<Caller, number>();
  let isStartScheduled = false;

  function startWaiting(): void {
    while (readingCount < concurrency) {
      const startNext = waiting.shift();
      if (startNext === undefined) return;
      startNext();
    }
  }

  /** Starts the lists that arrive in one turn of the event loop together, so that lists with the same key can share a read. */
  function scheduleStart(): void {
    if (isStartScheduled) return;
    isStartScheduled = true;
    setImmediate(() => {
      isStartScheduled = false;
      startWaiting();
    });
  }

  /** Whether the caller can occupy another slot. If other callers are active, one slot is left for them. */
  function isBelowLimit(caller: Caller): boolean {
    return concurrency === 1 || callers.count() === 1 || (readingCounts.get(caller) ?? 0) < concurrency - 1;
  }

  /** Adds to the number of lists being read. While a caller has reached its limit, its other lists are held back. */
  function addReading(caller: Caller, change: 1 | -1): void {
    readingCount += change;
    const callerCount = (readingCounts.get(caller) ?? 0) + change;
    if (callerCount > 0) readingCounts.set(caller, callerCount);
    else readingCounts.delete(caller);
    if (!isBelowLimit(caller)) waiting.hold(caller);
    else if (!pauses.has(caller)) waiting.resume(caller);
  }

  /** Charges read time to a caller, and returns how long it must wait until its next turn. Works like a token bucket of read time. */
  function chargeTime(caller: Caller, readMs: number): number {
    const now = performance.now();
    const readerCount = readers.count();
    const until =
      Math.max(usedUntil.get(caller) ?? Number.NEGATIVE_INFINITY, now - readMs - burstMs * readerCount) +
      readMs * readerCount;
    if (readerCount === 1) usedUntil.clear();
    else usedUntil.set(caller, until);
    return until - now;
  }

  /** Pauses a caller's next lists, to leave time for creates and for other callers. */
  function pauseCaller(caller: Caller, readMs: number, replies: number): void {
    // If creates wait only part of the time, they need little of the remaining time.
    const factor = (maxPauseFactor * waitingShare() ** 4) / callers.count();
    const pauseForCreates = (readMs + replyMs + (replies - 1) * sharedReplyMs) * factor;
    const pauseMs = Math.min(maxPauseMs, Math.max(pauseForCreates, chargeTime(caller, readMs)));
    if (pauseMs < 1) return;
    clearTimeout(pauses.get(caller));
    waiting.hold(caller);
    const end = () => {
      pauses.delete(caller);
      if (isBelowLimit(caller)) waiting.resume(caller);
      startWaiting();
    };
    pauses.set(caller, setTimeout(end, pauseMs));
  }

  /** Runs one read for all requests that share it. Occupies a slot from `start()` to `stop()`, and again after each `turn.next()`. */
  async function runRead<Result extends TimedResult>(
    caller: Caller,
    requests: readonly WaitingRequest<Result>[],
    read: ListRequest<Result>['read'],
  ): Promise<Result> {
    let startedAt = 0;
    let readMs: number | undefined;
    let [chargedMs, isReading] = [0, false];
    function start(): void {
      startedAt = performance.now();
      isReading = true;
      addReading(caller, 1);
      if (!requests.some(({ isWanted }) => isWanted())) throw new ClientGoneError();
      if (!hasRoom(caller)) throw overloadErrors.reply_bytes;
    }
    function stop(): void {
      if (!isReading) return;
      isReading = false;
      addReading(caller, -1);
      // The engine reports the time of all turns at the end.
      const turnMs = readMs === undefined ? performance.now() - startedAt : readMs - chargedMs;
      chargedMs += turnMs;
      pauseCaller(caller, turnMs, requests.length);
      // Starts the next list before the reply to this one, so that both run concurrently.
      startWaiting();
    }
    const turn: Turn = {
      share: () => 1 / callers.count(),
      next() {
        stop();
        return new Promise((resolve, reject) => {
          waiting.push(caller, () => {
            try {
              start();
              resolve();
            } catch (error) {
              reject(error);
            }
          });
          scheduleStart();
        });
      },
    };
    try {
      start();
      const result = await read(turn);
      readMs = result.readMs;
      return result;
    } finally {
      budget.release(caller, requests.length);
      stop();
    }
  }

  return {
    /**
     * Reads a list once it is its turn.
     *
     * @throws {ServiceError} `overloaded` when too many lists wait, or the caller has no room for the reply
     * @throws {ClientGoneError} when the client has disconnected
     */
    read<Result extends TimedResult>(
      caller: Caller,
      { shareKey, isWanted, read }: ListRequest<Result>,
    ): Promise<Result> {
      if (!budget.take(caller, 1)) return Promise.reject(overloadErrors.waiting_reads);
      readers.note(caller);
      const key = shareKey === undefined ? undefined : JSON.stringify([caller, shareKey]);
      return new Promise((resolve) => {
        const request: WaitingRequest<Result> = { isWanted, resolve };
        const sharing = key === undefined ? undefined : waitingByKey.get(key);
        if (sharing !== undefined) {
          sharing.push(request);
          return;
        }
        const requests = [request];
        if (key !== undefined) waitingByKey.set(key, requests);
        waiting.push(caller, () => {
          if (key !== undefined) waitingByKey.delete(key);
          // Empties the array, because a Map may keep a deleted value alive for a long time.
          const started = requests.splice(0);
          const result = runRead(caller, started, read);
          for (const request of started) request.resolve(result);
        });
        scheduleStart();
      });
    },
  };
}
