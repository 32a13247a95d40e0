import { accessTokenPrefix } from '@plant-store/contract/access-token';
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../errors/service-error.js';
import { hashAccessToken } from './access-token-format.js';
import type { TokenVerifier, Verification } from './token-service.js';

/** The result of a verification, or when its token may be sent again. */
export type LimitedVerification =
  | Verification
  | {
      readonly status: 'limited';
      readonly retryAfterSeconds: number;
      /** Whether it is the first one that is limited in this minute. */
      readonly isFirst: boolean;
    };

/** Verifies tokens within a limit of failures for each client address. */
export interface AuthenticationLimit {
  /**
   * Verifies a token for an address.
   *
   * @param cached the result of `verifyCached` for it
   */
  verify(
    address: string,
    text: string,
    cached: Verification | undefined,
  ): LimitedVerification | Promise<LimitedVerification>;
  /** Forgets all failures. */
  clear(): void;
}

/** How long the failures of an address count, in milliseconds. */
const windowMs = 60_000;

/** How often an address that is limited may look up a token that is not known, in milliseconds. */
const spareLookUpMs = 1_000;

/** How many client addresses are counted. Past that the one whose latest request is the longest ago is forgotten. */
export const countedAddresses = 10_000;

/** How many tokens are remembered of each kind: those that were valid when looked up last, were not, or lost a draw. */
const rememberedTokens = 10_000;

/**
 * Limits failed authentications by client address; decision 23 has the rule. A token that was valid when it was looked up
 * last is never limited. Which addresses were limited is logged, and how many of their requests were rejected.
 *
 * @param failuresPerMinute 0 is no limit
 */
export function createAuthenticationLimit(
  tokens: TokenVerifier,
  failuresPerMinute: number,
  log: { warn(fields: object, message: string): void },
): AuthenticationLimit {
  if (failuresPerMinute === 0)
    return { verify: (_address, text, cached) => cached ?? tokens.verify(text), clear: () => undefined };

  // With a `ttlResolution` a timer is started instead of reading the clock again within a millisecond.
  const forAMinute = { ttl: windowMs, perf: performance, ttlResolution: 0 };
  // By hash: the text of a token is kept nowhere.
  const validTokens = new LRUCache<string, true>({ max: rememberedTokens });
  const rejectedTokens = new LRUCache<string, true>({ max: rememberedTokens, ...forAMinute });
  const lostDraws = new LRUCache<string, number>({ max: rememberedTokens, ...forAMinute });
  /** The addresses that have failed, for a minute. */
  const failed = new LRUCache<string, AddressFailures>({
    max: countedAddresses,
    ttlAutopurge: true,
    ...forAMinute,
    dispose(failures, clientAddress) {
      const { rejected } = failures;
      failures.reset();
      if (rejected > 0) log.warn({ clientAddress, rejected }, 'authentication limit over');
    },
  });
  /** Those with requests in flight. Most never fail: adding them to the cache would cost more than a look-up. */
  const pending = new Map<string, AddressFailures>();

  function failuresOf(address: string): AddressFailures {
    return failed.get(address) ?? pending.get(address) ?? new AddressFailures(failuresPerMinute);
  }

  function fail(address: string, failures: AddressFailures): void {
    if (failures.count === 0) failed.set(address, failures);
    failures.add();
  }

  function reject(address: string, failures: AddressFailures, afterSeconds?: number): LimitedVerification {
    const secondsLeft = Math.max(1, Math.ceil(failed.getRemainingTTL(address) / 1_000));
    const isFirst = failures.rejected++ === 0;
    if (isFirst) log.warn({ clientAddress: address, seconds: secondsLeft }, 'authentication limited');
    return { status: 'limited', retryAfterSeconds: afterSeconds ?? secondsLeft, isFirst };
  }

  function conclude(address: string, failures: AddressFailures, result: Verification): LimitedVerification {
    if (result.status === 'valid') return result;
    if (failures.isLimited) return reject(address, failures);
    fail(address, failures);
    return result;
  }

  function lookUp(address: string, failures: AddressFailures, text: string): Promise<LimitedVerification> {
    const hash = hashAccessToken(text);
    const isInUse = validTokens.has(hash);
    const lookUps = failures.lookUps[text.startsWith(accessTokenPrefix) ? 'own' : 'jwt'];
    return lookUps.run(isInUse, async () => {
      // Another request may have looked it up meanwhile.
      const cached = tokens.verifyCached(text);
      if (cached !== undefined) return conclude(address, failures, cached);
      if (failures.isLimited && !isInUse) {
        if (rejectedTokens.has(hash)) return reject(address, failures);
        const losses = lostDraws.get(hash) ?? 0;
        if (!(await failures.drawSpareLookUp(losses))) {
          lostDraws.set(hash, losses + 1);
          return reject(address, failures, spareLookUpMs / 1_000);
        }
      }
      const verification = await tokens.verify(text);
      const isValid = verification.status === 'valid';
      const [last, other] = isValid ? [validTokens, rejectedTokens] : [rejectedTokens, validTokens];
      last.set(hash, true);
      other.delete(hash);
      if (!isValid) fail(address, failures);
      return verification;
    });
  }

  return {
    verify(address, text, cached) {
      const failures = failuresOf(address);
      if (cached !== undefined) return conclude(address, failures, cached);
      failures.pending++;
      pending.set(address, failures);
      return lookUp(address, failures, text).finally(() => {
        if (--failures.pending === 0) pending.delete(address);
      });
    },
    clear: () => failed.clear(),
  };
}

/** The failed authentications of one client address within a minute, and its look-ups in flight, which may fail. */
class AddressFailures {
  count = 0;
  /** How many requests were rejected since the limit was reached. */
  rejected = 0;
  /** How many requests wait for a look-up or make one. */
  pending = 0;
  readonly #limit: number;
  /** Apart, so that a provider that hangs does not hold up tokens of the service. */
  readonly lookUps = { own: new LookUps(() => this.#left), jwt: new LookUps(() => this.#left) };
  /** The request that takes the next spare look-up, unless one with a higher rank replaces it before. */
  #next: { readonly rank: number; readonly resolve: (wins: boolean) => void } | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isLimited(): boolean {
    return this.count >= this.#limit;
  }

  /** How many look-ups may fail at once. Past the limit none has to wait, since it is drawn which one is made. */
  get #left(): number {
    return this.isLimited ? Infinity : this.#limit - this.count;
  }

  add(): void {
    this.count++;
    if (!this.isLimited) return;
    this.lookUps.own.admit();
    this.lookUps.jwt.admit();
  }

  reset(): void {
    this.count = 0;
    this.rejected = 0;
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
}

/** The look-ups of one address, of which no more are in flight than may fail; the others wait, in order. */
class LookUps {
  readonly #mayFail: () => number;
  readonly #waiting = new Set<PromiseWithResolvers<void>>();
  #inFlight = 0;

  constructor(mayFail: () => number) {
    this.#mayFail = mayFail;
  }

  /** Makes a look-up; rejects if one could not be made that it waited for: this one could not be either. */
  async run<Result>(immediately: boolean, lookUp: () => Promise<Result>): Promise<Result> {
    if (immediately || this.#inFlight < this.#mayFail()) {
      this.#inFlight++;
    } else {
      const waiting = Promise.withResolvers<void>();
      this.#waiting.add(waiting);
      await waiting.promise;
    }
    try {
      return await lookUp();
    } catch (error) {
      // The key of the next token may be known.
      if (!(error instanceof ServiceError && error.errorName === 'identity_provider_unavailable'))
        this.#rejectAll(error);
      throw error;
    } finally {
      this.#inFlight--;
      this.admit();
    }
  }

  /** Lets those that wait begin, as many as may fail. */
  admit(): void {
    for (const waiting of this.#waiting) {
      if (this.#inFlight >= this.#mayFail()) return;
      this.#waiting.delete(waiting);
      this.#inFlight++;
      waiting.resolve();
    }
  }

  #rejectAll(error: unknown): void {
    for (const waiting of this.#waiting) waiting.reject(error);
    this.#waiting.clear();
  }
}
