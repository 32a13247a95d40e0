const tickMs = 20;
/** The most that one tick adds: what passes beyond it passed while the machine did something else. */
const maxTickMs = 2 * tickMs;

/**
 * A clock that runs only while this process does: on a machine that is too busy, or stands still for seconds, its time
 * passes as slowly as the timers of the process come. A limit in this time tells a call that waits too long from a call that
 * had no processor.
 */
export class RunningClock {
  #elapsedMs = 0;
  #lastTickAt = performance.now();
  readonly #timer = setInterval(() => this.#tick(), tickMs);

  constructor() {
    this.#timer.unref();
  }

  /** In milliseconds, as far as the last tick. */
  now(): number {
    return this.#elapsedMs;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    const at = performance.now();
    this.#elapsedMs += Math.min(at - this.#lastTickAt, maxTickMs);
    this.#lastTickAt = at;
  }
}
