import { ServiceError } from '../errors/service-error.js';
import type { Verification } from './access-tokens.js';

/** How long the failures of an address count, in milliseconds. */
export const windowMs = 60_000;

/** How often an address that is limited may look up a token that is not known, in milliseconds. */
export const spareLookUpMs = 1_000;

/** What has to answer before a token is verified: the database, or the identity provider. */
type TokenKind = 'own' | 'jwt';

/** The failed authentications of one client address within a minute, and its look-ups in flight, which may fail. */
export class FailureWindow {
  /** How many requests were rejected since the limit was reached. */
  rejected = 0;
  /** How many requests wait for a look-up or make one. */
  pending = 0;
  readonly #limit: number;
  readonly #onFirstFailure: () => void;
  #failures = 0;
  #endsAt = 0;
  /** The request that takes the next spare look-up, unless one with a higher rank replaces it before. */
  #next: { readonly rank: number; readonly resolve: (wins: boolean) => void } | undefined;
  /** Apart, so that a provider that hangs does not hold up tokens of the service. */
  readonly #queues: Readonly<Record<TokenKind, LookUpQueue>> = {
    own: new LookUpQueue(),
    jwt: new LookUpQueue(),
  };

  /**
   * @param limit how many failures are answered as such
   * @param onFirstFailure called when the minute begins
   */
  constructor(limit: number, onFirstFailure: () => void) {
    this.#limit = limit;
    this.#onFirstFailure = onFirstFailure;
  }

  /** Whether there were as many failures as are allowed. */
  get isLimited(): boolean {
    return this.#failures >= this.#limit;
  }

  /** Whether its minute has begun. */
  get hasFailures(): boolean {
    return this.#failures > 0;
  }

  /** The time until it is over, in whole seconds, at least 1. */
  get secondsLeft(): number {
    return Math.max(1, Math.ceil((this.#endsAt - performance.now()) / 1000));
  }

  /** Counts a failed authentication. */
  fail(): void {
    if (this.#failures++ === 0) {
      this.#endsAt = performance.now() + windowMs;
      this.#onFirstFailure();
    }
    if (!this.isLimited) return;
    this.#queues.own.wakeAll();
    this.#queues.jwt.wakeAll();
  }

  /** Whether a look-up has to wait, since those of its kind in flight could use up the limit. */
  isFull(kind: TokenKind): boolean {
    return !this.isLimited && this.#failures + this.#queues[kind].inFlight >= this.#limit;
  }

  /** Waits until a look-up has ended. Rejects with its error if it could not be made: another one could not either. */
  wait(kind: TokenKind): Promise<void> {
    return this.#queues[kind].wait();
  }

  /** Lets the next one that waits try; to be called by one that has waited and needs no look-up any more. */
  wakeNext(kind: TokenKind): void {
    this.#queues[kind].wakeNext();
  }

  /**
   * Draws who takes the look-up that is spared once a second for an address that is limited: of the requests of that second
   * the one whose token has lost most often, and a random one of equals. One request waits for it at a time.
   *
   * @param losses how often the token has lost so far
   * @returns whether it wins
   */
  drawSpareLookUp(losses: number): Promise<boolean> {
    const rank = losses + Math.random();
    if (this.#next !== undefined && this.#next.rank > rank) return Promise.resolve(false);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    if (this.#next !== undefined) this.#next.resolve(false);
    else setTimeout(() => this.#endDraw(), spareLookUpMs).unref();
    this.#next = { rank, resolve };
    return promise;
  }

  #endDraw(): void {
    this.#next?.resolve(true);
    this.#next = undefined;
  }

  /** Makes a look-up, and counts it if the token is not valid. */
  async lookUp(kind: TokenKind, verify: () => Verification | Promise<Verification>): Promise<Verification> {
    const queue = this.#queues[kind];
    queue.inFlight++;
    try {
      const verification = await verify();
      queue.inFlight--;
      if (verification.status === 'valid') queue.wakeNext();
      else this.fail();
      return verification;
    } catch (error) {
      queue.inFlight--;
      // The next one may have a key that is known.
      if (error instanceof ServiceError && error.errorName === 'identity_provider_unavailable')
        queue.wakeNext();
      else queue.rejectAll(error);
      throw error;
    }
  }
}

/** The look-ups of one address in flight, and the requests that wait until one of them has ended, in order. */
class LookUpQueue {
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
