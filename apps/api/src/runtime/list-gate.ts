import { ClientGoneError, overloadErrors } from '../errors/service-error.js';
import { ActiveCallers, Budget, type Caller, FairQueue } from './callers.js';

/** How many lists may wait or be read in total. One caller may have at most as many as are left free. */
const maxLists = 256;

/**
 * After a list, the caller's next list waits this many times the duration of the list if creates are always waiting and no other caller is
 * active. The work after a list, such as its reply, takes time that creates need.
 */
const maxRestFactor = 40;
/** The time for the request and the reply of a list, in addition to its reading, in milliseconds. */
const replyMs = 2;
/** The same for each further request that shares it. */
const sharedReplyMs = 0.2;
const maxRestMs = 1_000;
/** How long a caller may read in advance of its share of the time, in milliseconds. */
const burstMs = 50;

/** Reads lists, a few at a time. The others wait, and callers take turns. */
export type ListGate = ReturnType<typeof createListGate>;

interface List<Result extends Timed> {
  /** A key. Waiting lists of one caller with the same key share one read; a list without a key is read separately. */
  readonly of?: unknown;
  /** Whether its client is still connected; if not, it is not read. */
  isWanted(): boolean;
  read(turn: Turn): Promise<Result>;
}

/** When a list may be read. */
export interface Turn {
  /** The share of the time that it may take while others are active, from 0 to 1. */
  readonly share: () => number;
  /**
   * Yields the turn to other lists. Resolves when this list may continue.
   *
   * @throws {ClientGoneError} when the client of the list has disconnected
   */
  next(): Promise<void>;
}

/** A result. It may contain how long the engine took, in milliseconds; otherwise the time until `read` resolves counts. */
interface Timed {
  readonly readMs?: number | undefined;
}

interface Waiting<Result> {
  isWanted(): boolean;
  /** Lists with the same key have results of the same type. */
  resolve(result: Promise<Result>): void;
}

interface ListGateOptions {
  readonly concurrency: number;
  readonly callers: Pick<ActiveCallers, 'count'>;
  readonly hasRoom?: (caller: Caller) => boolean;
  /** The share of the time in which a create waits, from 0 to 1. */
  readonly waitingShare: () => number;
}

export function createListGate({
  concurrency,
  callers,
  hasRoom = () => true,
  waitingShare,
}: ListGateOptions) {
  const places = new Budget(maxLists);
  const waiting = new FairQueue<() => void>();
  const shared = new Map<string, Waiting<Timed>[]>();
  const resting = new Map<Caller, NodeJS.Timeout>();
  /** The callers that read lists, and for each the time until which its share is used up. */
  const readers = new ActiveCallers();
  const usedUntil = new Map<Caller, number>();
  /** How many lists of each caller are being read. */
  const readingOf = new Map<Caller, number>();
  let reading = 0;
  let isBeginning = false;

  function beginReady(): void {
    while (reading < concurrency) {
      const beginNext = waiting.shift();
      if (beginNext === undefined) return;
      beginNext();
    }
  }

  /** Whether one more list of a caller may be read. If other callers are active, one place is left for them. */
  function mayBegin(caller: Caller): boolean {
    return concurrency === 1 || callers.count() === 1 || (readingOf.get(caller) ?? 0) < concurrency - 1;
  }

  function count(caller: Caller, lists: 1 | -1): void {
    reading += lists;
    const own = (readingOf.get(caller) ?? 0) + lists;
    if (own > 0) readingOf.set(caller, own);
    else readingOf.delete(caller);
    if (!mayBegin(caller)) waiting.hold(caller);
    else if (!resting.has(caller)) waiting.resume(caller);
  }

  /** Begins the lists of one turn of the event loop together, so that lists with the same key can share a read. */
  function beginSoon(): void {
    if (isBeginning) return;
    isBeginning = true;
    setImmediate(() => {
      isBeginning = false;
      beginReady();
    });
  }

  /** Counts the time that a caller has read, and returns how long it must wait for its next turn (a token bucket of time). */
  function useTime(caller: Caller, readMs: number): number {
    const now = performance.now();
    const count = readers.count();
    const until =
      Math.max(usedUntil.get(caller) ?? Number.NEGATIVE_INFINITY, now - readMs - burstMs * count) +
      readMs * count;
    if (count === 1) usedUntil.clear();
    else usedUntil.set(caller, until);
    return until - now;
  }

  /** Delays the next lists of a caller, depending on what creates and the lists of others need. */
  function rest(caller: Caller, readMs: number, replies: number): void {
    // If creates wait only part of the time, they need little of the remaining time.
    const factor = (maxRestFactor * waitingShare() ** 4) / callers.count();
    const restForCreates = (readMs + replyMs + (replies - 1) * sharedReplyMs) * factor;
    const restMs = Math.min(maxRestMs, Math.max(restForCreates, useTime(caller, readMs)));
    if (restMs < 1) return;
    clearTimeout(resting.get(caller));
    waiting.hold(caller);
    const end = () => {
      resting.delete(caller);
      if (mayBegin(caller)) waiting.resume(caller);
      beginReady();
    };
    resting.set(caller, setTimeout(end, restMs));
  }

  async function begin<Result extends Timed>(
    caller: Caller,
    requests: readonly Waiting<Result>[],
    read: List<Result>['read'],
  ): Promise<Result> {
    let startedAt = 0;
    let readMs: number | undefined;
    let [restedMs, isReading] = [0, false];
    function start(): void {
      startedAt = performance.now();
      isReading = true;
      count(caller, 1);
      if (!requests.some(({ isWanted }) => isWanted())) throw new ClientGoneError();
      if (!hasRoom(caller)) throw overloadErrors.reply_bytes;
    }
    function stop(): void {
      if (!isReading) return;
      isReading = false;
      count(caller, -1);
      const ownMs = readMs === undefined ? performance.now() - startedAt : readMs - restedMs;
      restedMs += ownMs;
      rest(caller, ownMs, requests.length);
      // Starts the next list before the reply to this one, so that both run concurrently.
      beginReady();
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
          beginSoon();
        });
      },
    };
    try {
      start();
      const result = await read(turn);
      readMs = result.readMs;
      return result;
    } finally {
      places.release(caller, requests.length);
      stop();
    }
  }

  return {
    /**
     * Reads a list once it is its turn.
     *
     * @throws {ServiceError} `overloaded` when too many lists wait, or its caller has no room for what would be read
     * @throws {ClientGoneError} when its client has disconnected
     */
    read<Result extends Timed>(caller: Caller, { of, isWanted, read }: List<Result>): Promise<Result> {
      if (!places.take(caller, 1)) return Promise.reject(overloadErrors.waiting_reads);
      readers.note(caller);
      const key = of === undefined ? undefined : JSON.stringify([caller, of]);
      return new Promise((resolve) => {
        const request: Waiting<Result> = { isWanted, resolve };
        const same = key === undefined ? undefined : shared.get(key);
        if (same !== undefined) {
          same.push(request);
          return;
        }
        const requests = [request];
        if (key !== undefined) shared.set(key, requests);
        waiting.push(caller, () => {
          if (key !== undefined) shared.delete(key);
          // Empties the array, because a Map may keep a deleted value alive for a long time.
          const all = requests.splice(0);
          const result = begin(caller, all, read);
          for (const request of all) request.resolve(result);
        });
        beginSoon();
      });
    },
  };
}
