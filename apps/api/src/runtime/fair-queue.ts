import type { Caller } from './budget.js';

/** Items that wait. Callers take turns; the items of one caller keep their order. */
export class FairQueue<Item> {
  /** What each caller waits for. The next turn is that of the first one. */
  readonly #waiting = new Map<Caller, Item[]>();
  /** What callers wait for that are held back. */
  readonly #held = new Map<Caller, Item[]>();
  #size = 0;

  /** How many items wait, those of callers that are held back among them. */
  get size(): number {
    return this.#size;
  }

  /** How many callers have an item that waits for its turn. */
  get callers(): number {
    return this.#waiting.size;
  }

  push(caller: Caller, item: Item): void {
    const items = this.#held.get(caller) ?? this.#waiting.get(caller);
    if (items === undefined) this.#waiting.set(caller, [item]);
    else items.push(item);
    this.#size++;
  }

  /** Holds back a caller: it has no turn until it is let go on. */
  hold(caller: Caller): void {
    if (this.#held.has(caller)) return;
    this.#held.set(caller, this.#waiting.get(caller) ?? []);
    this.#waiting.delete(caller);
  }

  letGoOn(caller: Caller): void {
    const items = this.#held.get(caller) ?? [];
    this.#held.delete(caller);
    if (items.length > 0) this.#waiting.set(caller, items);
  }

  /** The item that `shift` would remove; `undefined` when no caller has a turn. */
  peek(): Item | undefined {
    for (const [item] of this.#waiting.values()) return item;
    return undefined;
  }

  /** Removes the next item of the caller whose turn it is; `undefined` when none has one. */
  shift(): Item | undefined {
    for (const [caller, items] of this.#waiting) {
      const item = items.shift();
      this.#size--;
      if (items.length === 0) this.#waiting.delete(caller);
      else if (this.#waiting.size > 1) {
        this.#waiting.delete(caller);
        this.#waiting.set(caller, items);
      }
      return item;
    }
    return undefined;
  }
}
