/** Who calls, as `callerOf` names them: the id of an access token, or a subject. */
export type Caller = number | string;

/** An amount of something, such as bytes or places, that callers share. */
export interface Budget {
  /** How much is held now. */
  readonly held: number;
  /** Whether a caller could take so much. */
  hasRoom(caller: Caller, amount: number): boolean;
  /** Takes so much for a caller, and returns whether there was room; if not, nothing is taken. */
  take(caller: Caller, amount: number): boolean;
  /** Counts what a caller holds whether there is room or not, so that it gets no more. */
  add(caller: Caller, amount: number): void;
  /** Returns what a caller has taken, or what was added for it. */
  release(caller: Caller, amount: number): void;
}

/**
 * Limits what callers hold together. No caller may have more than is left free, so that there is always room for others: one
 * gets at most half of the limit, each of two a third, and so on (Choudhury and Hahne, "Dynamic queue length thresholds for
 * shared-memory packet switches", 1998). While nothing is held, any amount is taken.
 */
export function createBudget(limit: number): Budget {
  const heldBy = new Map<Caller, { amount: number }>();
  let total = 0;

  function hasRoom(caller: Caller, amount: number): boolean {
    return total === 0 || (heldBy.get(caller)?.amount ?? 0) + amount <= limit - total - amount;
  }

  function add(caller: Caller, amount: number): void {
    total += amount;
    const held = heldBy.get(caller);
    if (held === undefined) heldBy.set(caller, { amount });
    else held.amount += amount;
  }

  return {
    get held() {
      return total;
    },
    hasRoom,
    take(caller, amount) {
      if (!hasRoom(caller, amount)) return false;
      add(caller, amount);
      return true;
    },
    add,
    release(caller, amount) {
      total -= amount;
      const held = heldBy.get(caller);
      if (held === undefined) return;
      held.amount -= amount;
      if (held.amount <= 0) heldBy.delete(caller);
    },
  };
}
