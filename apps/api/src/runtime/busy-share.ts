/** Over how long it is measured, in milliseconds; at most twice as long. */
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
