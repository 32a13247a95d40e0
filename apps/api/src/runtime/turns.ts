import { type ActiveCallers, type Caller, FairQueue } from './callers.js';

/** How much work one turn of the event loop does, in the unit of `Turns.schedule`: requests without a body. */
export const costPerTurn = 32;

/** How much work takes a millisecond, in the same unit. */
const costPerMs = 20;

/**
 * The maximum wait before a caller's next work, as a multiple of the duration of its last work: a caller always gets a fifth of the time.
 */
const maxHoldFactor = 4;

/** Schedules work in turns of the event loop. */
export type Turns = ReturnType<typeof createTurns>;

interface Work {
  readonly caller: Caller;
  readonly cost: number;
  readonly work: () => void;
}

/**
 * Limits the work in each turn of the event loop. Callers take turns, so that a caller with much work does not delay the others. After long
 * work, the caller's next work waits, so that each active caller can get an equal share of the time.
 *
 * Node.js accepts one connection in each turn of the event loop, and reads in that turn from every connection that has data. With a
 * thousand busy connections, a turn would last as long as a thousand requests, and a new connection would wait for as many turns as there
 * are connections before it.
 *
 * @param processes how many processes share the work. A caller can be busy in each of them
 */
export function createTurns(callers: Pick<ActiveCallers, 'count'>, processes = 1) {
  const waiting = new FairQueue<Work>();
  const held = new Set<Caller>();
  /** How much work this turn can still do; `undefined` outside a turn. */
  let remainingCost: number | undefined;

  function startTurn(): void {
    remainingCost = costPerTurn;
    while (remainingCost > 0) {
      const next = waiting.shift();
      if (next === undefined) break;
      remainingCost -= next.cost;
      hold(next.caller, next.cost);
      // Each has its own callback, so that its microtasks run before the next one.
      setImmediate(next.work);
    }
    setImmediate(endTurn);
  }

  function endTurn(): void {
    remainingCost = undefined;
    if (waiting.callers > 0) startTurn();
  }

  /** Holds back a caller after long work. */
  function hold(caller: Caller, cost: number): void {
    if (cost * processes * maxHoldFactor < costPerMs) return;
    const holdMs = (cost / costPerMs) * processes * Math.min(callers.count() - 1, maxHoldFactor);
    if (holdMs < 1 || held.has(caller)) return;
    held.add(caller);
    waiting.hold(caller);
    setTimeout(() => {
      held.delete(caller);
      waiting.resume(caller);
      if (remainingCost === undefined && waiting.callers > 0) startTurn();
    }, holdMs);
  }

  /** Runs work in this turn of the event loop, or later, when it is the caller's turn. A request without a body has the cost 1. */
  function schedule(caller: Caller, cost: number, work: () => void): void {
    if (remainingCost === undefined) startTurn();
    if (remainingCost === undefined || remainingCost <= 0 || waiting.callers > 0 || held.has(caller)) {
      waiting.push(caller, { caller, cost, work });
    } else {
      remainingCost -= cost;
      hold(caller, cost);
      work();
    }
  }

  return {
    schedule,
    /** Resolves when it is the turn of work with this cost. */
    wait: (caller: Caller, cost: number) => new Promise<void>((resolve) => schedule(caller, cost, resolve)),
  };
}
