import type { Caller } from './budget.js';

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
