import { ServiceError } from '../errors/service-error.js';
import type { Verification } from './access-tokens.js';

/** How long the failures of an address count, in milliseconds. */
export const windowMs = 60_000;

/** How often an address that is limited may look up a token that is not known, in milliseconds. */
const spareLookUpMs = 1_000;

/** The failed authentications of one client address within a minute, and its look-ups in flight, which may fail. */
export class FailureWindow {
  /** How many requests were rejected since the limit was reached. */
  rejected = 0;
  /** How many requests wait for a look-up or make one. */
  pending = 0;
  readonly #limit: number;
  readonly #endsAt = performance.now() + windowMs;
  #failures = 0;
  #inFlight = 0;
  #nextSpareAt = 0;
  /** Who waits for a place, in order. */
  readonly #waiting = new Set<PromiseWithResolvers<void>>();

  /** @param limit how many failures are answered as such */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether there were as many failures as are allowed. */
  get isLimited(): boolean {
    return this.#failures >= this.#limit;
  }

  /** Whether there was no failure, and no request is pending that could become one. */
  get isUnused(): boolean {
    return this.#failures === 0 && this.pending === 0;
  }

  /** The time until it is over, in whole seconds, at least 1. */
  get secondsLeft(): number {
    return Math.max(1, Math.ceil((this.#endsAt - performance.now()) / 1000));
  }

  /** Counts a failed authentication. */
  fail(): void {
    this.#failures++;
    if (this.isLimited) for (const waiting of this.#takeWaiting()) waiting.resolve();
  }

  /** Whether a look-up has to wait, since those in flight could use up the limit. */
  get isFull(): boolean {
    return !this.isLimited && this.#failures + this.#inFlight >= this.#limit;
  }

  /** Waits until a look-up has ended. Rejects with its error if it could not be made: another one could not either. */
  wait(): Promise<void> {
    const waiting = Promise.withResolvers<void>();
    this.#waiting.add(waiting);
    return waiting.promise;
  }

  /** Lets the next one that waits try; to be called by one that has waited and needs no look-up any more. */
  wakeNext(): void {
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting.delete(next);
    next.resolve();
  }

  /** Takes the look-up that is spared for an address that is limited, once a second, if there is one. */
  takeSpareLookUp(): boolean {
    const now = performance.now();
    if (now < this.#nextSpareAt) return false;
    this.#nextSpareAt = now + spareLookUpMs;
    return true;
  }

  /** Makes a look-up, and counts it if the token is not valid. */
  async lookUp(verify: () => Verification | Promise<Verification>): Promise<Verification> {
    this.#inFlight++;
    try {
      const verification = await verify();
      this.#inFlight--;
      if (verification.status === 'valid') this.wakeNext();
      else this.fail();
      return verification;
    } catch (error) {
      this.#inFlight--;
      // It concerns JSON Web Tokens only, while others may be waiting.
      if (error instanceof ServiceError && error.errorName === 'identity_provider_unavailable')
        this.wakeNext();
      else for (const waiting of this.#takeWaiting()) waiting.reject(error);
      throw error;
    }
  }

  #takeWaiting(): PromiseWithResolvers<void>[] {
    const all = [...this.#waiting];
    this.#waiting.clear();
    return all;
  }
}
