import { ClientGoneError } from '../errors/client-gone-error.js';
import { overloadErrors } from '../errors/service-error.js';
import type { ActiveCallers } from '../runtime/active-callers.js';
import { type Caller, createBudget } from '../runtime/budget.js';
import { FairQueue } from '../runtime/fair-queue.js';

/** How many lists may wait or be read; of one caller as many as are left free. */
const maxLists = 64;

/**
 * How many times as long as it took a caller's lists rest after one, if a create waits all the time and nobody else is active: what
 * follows a list, such as its reply, takes time that creates need.
 */
const maxRestFactor = 20;
/** What a list takes besides its reading, in milliseconds: its request, and its reply. */
const replyMs = 1;
const maxRestMs = 1_000;

/** Reads lists, a few at a time. The others wait, and callers take turns. */
export interface ListGate {
  /**
   * Reads a list once it is its turn.
   *
   * @param isWanted whether its client is still there; if not, it is not read
   * @param read gets the part of the time that a list may take, since others want some, too: from 0 to 1. Its result may say how
   * long the engine took, in milliseconds; otherwise that is until it resolves.
   * @throws {ServiceError} `overloaded` when too many lists wait
   * @throws {ClientGoneError} when nobody waits for it any more
   */
  run<Result extends { readonly readMs?: number | undefined }>(
    caller: Caller,
    isWanted: () => boolean,
    read: (share: number) => Promise<Result>,
  ): Promise<Result>;
}

/** How lists are read. */
interface ListGateOptions {
  /** How many are read at a time. */
  readonly concurrency: number;
  /** Who shares the time with them. */
  readonly callers: Pick<ActiveCallers, 'count'>;
  /** What part of the time a create waits, from 0 to 1. */
  readonly waitingShare: () => number;
}

export function createListGate({ concurrency, callers, waitingShare }: ListGateOptions): ListGate {
  const places = createBudget(maxLists);
  const waiting = new FairQueue<() => void>();
  const resting = new Map<Caller, NodeJS.Timeout>();
  let reading = 0;

  function beginReady(): void {
    while (reading < concurrency) {
      const begin = waiting.shift();
      if (begin === undefined) return;
      reading++;
      begin();
    }
  }

  /** Holds back the lists of a caller, in proportion to what creates need and to its part of all callers. */
  function rest(caller: Caller, readMs: number): void {
    // Where creates wait for a part of the time alone, they need little of the rest.
    const factor = (concurrency * maxRestFactor * waitingShare() ** 4) / callers.count();
    const restMs = Math.min(maxRestMs, (readMs + replyMs) * factor);
    if (restMs < 1) return;
    clearTimeout(resting.get(caller));
    waiting.hold(caller);
    const end = () => {
      resting.delete(caller);
      waiting.letGoOn(caller);
      beginReady();
    };
    resting.set(caller, setTimeout(end, restMs));
  }

  return {
    async run(caller, isWanted, read) {
      if (!places.take(caller, 1)) throw overloadErrors.waiting_reads;
      await new Promise<void>((resolve) => {
        waiting.push(caller, resolve);
        beginReady();
      });
      const startedAt = performance.now();
      let readMs: number | undefined;
      try {
        if (!isWanted()) throw new ClientGoneError();
        const result = await read(1 / callers.count());
        readMs = result.readMs;
        return result;
      } finally {
        reading--;
        places.release(caller, 1);
        rest(caller, readMs ?? performance.now() - startedAt);
        beginReady();
      }
    },
  };
}
