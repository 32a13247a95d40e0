/** Who calls, as `callerOf` names them: the id of an access token, or a subject. */
export type Caller = number | string;

/** For how long a caller is active, in milliseconds; at most twice as long. */
const activeMs = 1_000;

/** Counts who is active, so that each gets an equal share of what is done at once. */
export class ActiveCallers {
  #now = new Set<Caller>();
  #before = new Set<Caller>();
  #since = performance.now();

  note(caller: Caller): void {
    this.#now.add(caller);
  }

  /** How many callers were noted lately, at least 1. */
  count(): number {
    const now = performance.now();
    if (now - this.#since > activeMs) {
      this.#before = now - this.#since > 2 * activeMs ? new Set() : this.#now;
      this.#now = new Set();
      this.#since = now;
    }
    return Math.max(this.#now.size, this.#before.size, 1);
  }
}

/**
 * Limits what callers hold together, such as bytes or places. No caller may have more than is left free, so that there is always
 * room for others: one gets at most half of the limit, each of two a third, and so on (Choudhury and Hahne, "Dynamic queue length
 * thresholds for shared-memory packet switches", 1998). While nothing is held, any amount is taken.
 */
export class Budget {
  readonly #limit: number;
  readonly #heldBy = new Map<Caller, number>();
  #held = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** How much is held now. */
  get held(): number {
    return this.#held;
  }

  /** Whether a caller could take so much. */
  hasRoom(caller: Caller, amount: number): boolean {
    return this.#held === 0 || (this.#heldBy.get(caller) ?? 0) + amount <= this.#limit - this.#held - amount;
  }

  /** Takes so much for a caller, and returns whether there was room; if not, nothing is taken. */
  take(caller: Caller, amount: number): boolean {
    if (!this.hasRoom(caller, amount)) return false;
    this.add(caller, amount);
    return true;
  }

  /** Counts what a caller holds whether there is room or not, so that it gets no more. */
  add(caller: Caller, amount: number): void {
    this.#held += amount;
    const held = (this.#heldBy.get(caller) ?? 0) + amount;
    if (held > 0) this.#heldBy.set(caller, held);
    else this.#heldBy.delete(caller);
  }

  /** Returns what a caller has taken, or what was added for it. */
  release(caller: Caller, amount: number): void {
    this.add(caller, -amount);
  }
}

/** Items that wait. Callers take turns; the items of one caller keep their order. */
export class FairQueue<Item> {
  /** The line of each caller that has items, or is held back. */
  readonly #lines = new Map<Caller, Line<Item>>();
  /** The lines that have turns, the next one first. */
  readonly #turns: Line<Item>[] = [];
  #size = 0;

  /** How many items wait, those of callers that are held back among them. */
  get size(): number {
    return this.#size;
  }

  /** How many callers have an item that waits for its turn. */
  get callers(): number {
    return this.#turns.length;
  }

  push(caller: Caller, item: Item): void {
    const line = this.#lineOf(caller);
    if (line.items.length === 0 && !line.isHeld) this.#turns.push(line);
    line.items.push(item);
    this.#size++;
  }

  #lineOf(caller: Caller): Line<Item> {
    const existing = this.#lines.get(caller);
    if (existing !== undefined) return existing;
    const line = { caller, items: [], isHeld: false };
    this.#lines.set(caller, line);
    return line;
  }

  /** Holds back a caller: it has no turn until it is resumed. */
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

  /** The item that `shift` would remove; `undefined` when no caller has a turn. */
  peek(): Item | undefined {
    return this.#turns[0]?.items[0];
  }

  /** Removes the next item of the caller whose turn it is; `undefined` when none has one. */
  shift(): Item | undefined {
    const line = this.#turns.shift();
    if (line === undefined) return undefined;
    const item = line.items.shift();
    this.#size--;
    if (line.items.length > 0) this.#turns.push(line);
    else this.#lines.delete(line.caller);
    return item;
  }
}

/** The items of one caller. */
interface Line<Item> {
  readonly caller: Caller;
  readonly items: Item[];
  isHeld: boolean;
}

/** Over how long the share is measured, in milliseconds; at most twice as long. */
const windowMs = 250;

/** Measures what part of the time something goes on. */
export class BusyShare {
  #begunAt: number | undefined;
  #windowAt = performance.now();
  #busyMs = 0;
  #before = 0;

  /** It begins, unless it goes on already. */
  begin(): void {
    this.#begunAt ??= performance.now();
  }

  end(): void {
    this.#turn(performance.now());
    this.#begunAt = undefined;
  }

  /** The part lately, from 0 to 1. */
  value(): number {
    const now = performance.now();
    this.#turn(now);
    return (this.#busyMs + this.#before * windowMs) / (now - this.#windowAt + windowMs);
  }

  /** Counts what went on until now, and begins another window if it is time. */
  #turn(now: number): void {
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
