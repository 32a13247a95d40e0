/** A caller as returned by `callerOf`: the id of an access token, or a subject. */
export type Caller = number | string;

/** The minimum time that a caller counts as active, in milliseconds. The maximum is twice as long. */
const activeMs = 1_000;

/** Counts active callers, so that each gets an equal share of concurrent work. */
export class ActiveCallers {
  #current = new Set<Caller>();
  #previous = new Set<Caller>();
  #windowAt = performance.now();

  note(caller: Caller): void {
    this.#current.add(caller);
  }

  /** Returns how many callers were active recently, at least 1. */
  count(): number {
    const now = performance.now();
    if (now - this.#windowAt > activeMs) {
      this.#previous = now - this.#windowAt > 2 * activeMs ? new Set() : this.#current;
      this.#current = new Set();
      this.#windowAt = now;
    }
    return Math.max(this.#current.size, this.#previous.size, 1);
  }
}

/**
 * Limits what all callers hold together, such as bytes or queued records. A caller cannot hold more than is left free, so that there is
 * always room for others: a single caller gets at most half of the limit, each of two callers a third, and so on (Choudhury and Hahne,
 * "Dynamic queue length thresholds for shared-memory packet switches", 1998). While nothing is held, a caller can take any amount.
 */
export class Budget {
  readonly #limit: number;
  readonly #heldBy = new Map<Caller, number>();
  /** The total amount that all callers hold. */
  held = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  hasRoom(caller: Caller, amount: number): boolean {
    return this.held === 0 || (this.#heldBy.get(caller) ?? 0) + amount <= this.#limit - this.held - amount;
  }

  /** Takes an amount for a caller. Returns `false`, and takes nothing, if there is no room. */
  take(caller: Caller, amount: number): boolean {
    if (!this.hasRoom(caller, amount)) return false;
    this.add(caller, amount);
    return true;
  }

  /** Counts an amount that a caller holds, even if there is no room for it, so that the caller gets no more. */
  add(caller: Caller, amount: number): void {
    this.held += amount;
    const held = (this.#heldBy.get(caller) ?? 0) + amount;
    if (held > 0) this.#heldBy.set(caller, held);
    else this.#heldBy.delete(caller);
  }

  release(caller: Caller, amount: number): void {
    this.add(caller, -amount);
  }
}

/** A queue in which callers take turns. The items of one caller keep their order. */
export class FairQueue<Item> {
  /** The line of each caller that has items or is held back. */
  readonly #lines = new Map<Caller, Line<Item>>();
  /** The lines that get turns, in order. */
  readonly #turns: Line<Item>[] = [];
  /** How many items wait, including items of callers that are held back. */
  size = 0;

  /** How many callers have waiting items and are not held back. */
  get callers(): number {
    return this.#turns.length;
  }

  push(caller: Caller, item: Item): void {
    const line = this.#lineOf(caller);
    if (line.items.length === 0 && !line.isHeld) this.#turns.push(line);
    line.items.push(item);
    this.size++;
  }

  #lineOf(caller: Caller): Line<Item> {
    const existing = this.#lines.get(caller);
    if (existing !== undefined) return existing;
    const line = { caller, items: [], isHeld: false };
    this.#lines.set(caller, line);
    return line;
  }

  /** Holds back a caller, which gets no turn until it is resumed. */
  hold(caller: Caller): void {
    const line = this.#lineOf(caller);
    if (line.items.length > 0 && !line.isHeld) this.#turns.splice(this.#turns.indexOf(line), 1);
    line.isHeld = true;
  }

  resume(caller: Caller): void {
    const line = this.#lines.get(caller);
    if (!line?.isHeld) return;
    line.isHeld = false;
    if (line.items.length > 0) this.#turns.push(line);
    else this.#lines.delete(caller);
  }

  /** Returns the item that `shift` would remove, or `undefined` if no caller has a turn. */
  peek(): Item | undefined {
    return this.#turns[0]?.items[0];
  }

  /** Removes and returns the next item of the caller whose turn it is. Returns `undefined` if no caller has a turn. */
  shift(): Item | undefined {
    const line = this.#turns.shift();
    if (line === undefined) return undefined;
    const item = line.items.shift();
    this.size--;
    if (line.items.length > 0) this.#turns.push(line);
    else this.#lines.delete(line.caller);
    return item;
  }
}

interface Line<Item> {
  readonly caller: Caller;
  readonly items: Item[];
  isHeld: boolean;
}

/** The minimum time over which the share is measured, in milliseconds. The maximum is twice as long. */
const windowMs = 250;

/** Measures the share of time that an activity takes. */
export class BusyShare {
  #begunAt: number | undefined;
  #windowAt = performance.now();
  #busyMs = 0;
  #before = 0;

  /** Marks the beginning of the activity, unless it has already begun. */
  begin(): void {
    this.#begunAt ??= performance.now();
  }

  end(): void {
    this.#advance(performance.now());
    this.#begunAt = undefined;
  }

  /** Returns the recent share, from 0 to 1. */
  value(): number {
    const now = performance.now();
    this.#advance(now);
    return (this.#busyMs + this.#before * windowMs) / (now - this.#windowAt + windowMs);
  }

  /** Adds the busy time until now, and begins a new window if the current one is over. */
  #advance(now: number): void {
    if (this.#begunAt !== undefined) {
      this.#busyMs += now - this.#begunAt;
      this.#begunAt = now;
    }
    const elapsed = now - this.#windowAt;
    if (elapsed < windowMs) return;
    this.#before = this.#busyMs / elapsed;
    this.#busyMs = 0;
    this.#windowAt = now;
  }
}
