import type { Caller } from './budget.js';
import { FairQueue } from './fair-queue.js';

/** How much is done in a turn of the event loop, as `Turns.run` counts it: so many requests without a large body. */
export const costPerTurn = 32;

/** The work that turns of the event loop are divided among. */
export interface Turns {
  /**
   * Does work in this turn of the event loop, or in a later one, once that of others had its turn.
   *
   * @param cost 1 for a request
   */
  run(caller: Caller, cost: number, work: () => void): void;
  /** Resolves when it is the turn of such work. */
  take(caller: Caller, cost: number): Promise<void>;
}

/** Work that waits. */
interface Work {
  readonly caller: Caller;
  readonly cost: number;
  readonly work: () => void;
}

/**
 * Bounds what is done in a turn of the event loop; callers take turns, so that one with much to do does not hold up the others.
 *
 * Node.js accepts one connection in each turn of the event loop, and reads in that turn from every connection that has
 * data. With a thousand busy connections a turn would last as long as a thousand requests, and a new connection would wait
 * for as many turns as there are connections before it.
 */
export function createTurns(): Turns {
  const waiting = new FairQueue<Work>();
  /** For how many more turns callers are held back whose work took longer than one. */
  const held = new Map<Caller, number>();
  /** What this turn may still do; `undefined` outside of one. */
  let left: number | undefined;

  function startTurn(): void {
    left = costPerTurn;
    for (const [caller, turns] of held) letGoOnAfter(caller, turns - 1);
    while (left > 0) {
      const next = waiting.shift();
      if (next === undefined) break;
      left -= next.cost;
      hold(next);
      // A callback for each, so that its microtasks run before the next one.
      setImmediate(next.work);
    }
    setImmediate(endTurn);
  }

  function endTurn(): void {
    left = undefined;
    if (waiting.size > 0) startTurn();
  }

  function hold({ caller, cost }: Work): void {
    if (cost <= costPerTurn) return;
    waiting.hold(caller);
    held.set(caller, Math.ceil(cost / costPerTurn));
  }

  function letGoOnAfter(caller: Caller, turns: number): void {
    if (turns > 0) {
      held.set(caller, turns);
    } else {
      held.delete(caller);
      waiting.letGoOn(caller);
    }
  }

  function run(caller: Caller, cost: number, work: () => void): void {
    if (left === undefined) startTurn();
    if (left === undefined || left <= 0 || waiting.size > 0 || held.has(caller)) {
      waiting.push(caller, { caller, cost, work });
    } else {
      left -= cost;
      hold({ caller, cost, work });
      work();
    }
  }

  return {
    run,
    take: (caller, cost) => new Promise((resolve) => run(caller, cost, resolve)),
  };
}
