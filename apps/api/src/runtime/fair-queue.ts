import type { Caller } from './budget.js';

/** Items that wait. Callers take turns; the items of one caller keep their order. */
export class FairQueue<Item> {
  /** The items of each caller that has some, or is held back. */
  readonly #lines = new Map<Caller, Line<Item>>();
  /** Those of the callers that have turns, in their order, and whose turn it is. */
  readonly #turns: Line<Item>[] = [];
  #next = 0;
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
    let line = this.#lines.get(caller);
    if (line === undefined) {
      line = { caller, items: [], first: 0, isHeld: false };
      this.#lines.set(caller, line);
    }
    if (line.items.length === 0 && !line.isHeld) this.#turns.push(line);
    line.items.push(item);
    this.#size++;
  }

  /** Holds back a caller: it has no turn until it is let go on. */
  hold(caller: Caller): void {
    const line = this.#lines.get(caller) ?? { caller, items: [], first: 0, isHeld: false };
    if (line.isHeld) return;
    this.#lines.set(caller, line);
    line.isHeld = true;
    if (line.items.length > 0) this.#removeTurn(this.#turns.indexOf(line));
  }

  letGoOn(caller: Caller): void {
    const line = this.#lines.get(caller);
    if (line === undefined) return;
    line.isHeld = false;
    if (line.items.length > 0) this.#turns.push(line);
    else this.#lines.delete(caller);
  }

  /** The item that `shift` would remove; `undefined` when no caller has a turn. */
  peek(): Item | undefined {
    const line = this.#turns[this.#next];
    return line?.items[line.first];
  }

  /** Removes the next item of the caller whose turn it is; `undefined` when none has one. */
  shift(): Item | undefined {
    const line = this.#turns[this.#next];
    if (line === undefined) return undefined;
    const item = line.items[line.first];
    // What it refers to is not kept until the others have moved.
    line.items[line.first++] = undefined;
    this.#size--;
    if (line.first === line.items.length) {
      this.#lines.delete(line.caller);
      this.#removeTurn(this.#next);
      return item;
    }
    if (line.first === maxRemoved) {
      line.items.splice(0, maxRemoved);
      line.first = 0;
    }
    this.#next = (this.#next + 1) % this.#turns.length;
    return item;
  }

  #removeTurn(at: number): void {
    this.#turns.splice(at, 1);
    if (at < this.#next) this.#next--;
    if (this.#next === this.#turns.length) this.#next = 0;
  }
}

/** How many places of removed items a line keeps: to move the others for each would take long. */
const maxRemoved = 1_024;

/** The items of one caller; those before the first one are removed. */
interface Line<Item> {
  readonly caller: Caller;
  readonly items: (Item | undefined)[];
  first: number;
  isHeld: boolean;
}
