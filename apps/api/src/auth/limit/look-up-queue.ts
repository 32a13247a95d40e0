/** The look-ups of one address in flight, and the requests that wait until one of them has ended, in order. */
export class LookUpQueue {
  /** How many look-ups are in flight. */
  inFlight = 0;
  readonly #waiting = new Set<PromiseWithResolvers<void>>();

  /** Waits until it is worth trying again. Rejects with the error of a look-up that another one would meet, too. */
  wait(): Promise<void> {
    const waiting = Promise.withResolvers<void>();
    this.#waiting.add(waiting);
    return waiting.promise;
  }

  /** Lets the first one that waits try. */
  wakeNext(): void {
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting.delete(next);
    next.resolve();
  }

  /** Lets all that wait try. */
  wakeAll(): void {
    for (const waiting of this.#takeAll()) waiting.resolve();
  }

  /** Ends the waiting of all with an error. */
  rejectAll(error: unknown): void {
    for (const waiting of this.#takeAll()) waiting.reject(error);
  }

  #takeAll(): PromiseWithResolvers<void>[] {
    const all = [...this.#waiting];
    this.#waiting.clear();
    return all;
  }
}
