/** Over how long it is measured, in milliseconds; at most twice as long. */
const windowMs = 250;

/** Measures what part of the time is spent on something. */
export class BusyShare {
  #since = performance.now();
  #busyMs = 0;
  #before = 0;

  /** Adds a time, in milliseconds, that has just ended. */
  add(ms: number): void {
    this.#turn();
    this.#busyMs += ms;
  }

  /** The part lately, from 0 to 1. */
  value(): number {
    const elapsed = this.#turn();
    return Math.min(1, (this.#busyMs + this.#before * windowMs) / (elapsed + windowMs));
  }

  /** Begins another window if it is time; returns since when the current one lasts, in milliseconds. */
  #turn(): number {
    const now = performance.now();
    const elapsed = now - this.#since;
    if (elapsed < windowMs) return elapsed;
    this.#before = elapsed < 2 * windowMs ? Math.min(1, this.#busyMs / elapsed) : 0;
    this.#busyMs = 0;
    this.#since = now;
    return 0;
  }
}
