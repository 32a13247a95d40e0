import { accessTokenPrefix } from '@plant-store/contract/access-token';
import { LRUCache } from 'lru-cache';
import { hashAccessToken } from './access-token-format.js';
import type { AccessTokens, TokenVerifier, Verification } from './access-tokens.js';
import { FailureWindow, spareLookUpMs, windowMs } from './failure-window.js';

/** How many tokens are remembered of each kind: those that were valid when looked up last, were not, or lost a draw. */
const rememberedTokens = 10_000;

/** When a token that has lost a draw may be sent again: the next look-up is drawn a second later. */
const retryAfterLossSeconds = spareLookUpMs / 1_000;

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

/** How many failures are allowed, and who learns of addresses that had more. */
interface AuthenticationLimitOptions {
  readonly failuresPerMinute: number;
  /** Called with an address when its first request is rejected, and for how long it is limited. */
  onStart(address: string, seconds: number): void;
  /** Called once that is over, with the number of requests that were rejected. */
  onEnd(address: string, rejected: number): void;
}

/**
 * Limits failed authentications by client address; decision 23 has the rule. A token that was valid when it was looked up
 * last is never limited.
 */
export function createAuthenticationLimit(
  accessTokens: Pick<AccessTokens, 'verify' | 'verifyCached'>,
  { failuresPerMinute, onStart, onEnd }: AuthenticationLimitOptions,
): AuthenticationLimit {
  const windows = new AddressWindows(failuresPerMinute, onEnd);
  // By hash: the text of a token is kept nowhere.
  const validTokens = new LRUCache<string, true>({ max: rememberedTokens });
  const forAMinute = { max: rememberedTokens, ttl: windowMs, perf: performance, ttlResolution: 0 };
  const rejectedTokens = new LRUCache<string, true>(forAMinute);
  const lostDraws = new LRUCache<string, number>(forAMinute);

  function reject(
    address: string,
    window: FailureWindow,
    retryAfterSeconds = window.secondsLeft,
  ): LimitedVerification {
    const isFirst = window.rejected++ === 0;
    if (isFirst) onStart(address, window.secondsLeft);
    return { status: 'limited', retryAfterSeconds, isFirst };
  }

  function conclude(address: string, window: FailureWindow, cached: Verification): LimitedVerification {
    if (cached.status === 'valid') return cached;
    if (window.isLimited) return reject(address, window);
    window.fail();
    return cached;
  }

  function remember(hash: string, { status }: Verification): void {
    const [last, other] = status === 'valid' ? [validTokens, rejectedTokens] : [rejectedTokens, validTokens];
    last.set(hash, true);
    other.delete(hash);
  }

  async function lookUp(address: string, window: FailureWindow, text: string): Promise<LimitedVerification> {
    const kind = text.startsWith(accessTokenPrefix) ? 'own' : 'jwt';
    const hash = hashAccessToken(text);
    if (!validTokens.has(hash)) {
      while (window.isFull(kind)) {
        await window.wait(kind);
        const cached = accessTokens.verifyCached(text);
        if (cached === undefined) continue;
        window.wakeNext(kind);
        return conclude(address, window, cached);
      }
      if (window.isLimited) {
        if (rejectedTokens.has(hash)) return reject(address, window);
        const losses = lostDraws.get(hash) ?? 0;
        if (!(await window.drawSpareLookUp(losses))) {
          lostDraws.set(hash, losses + 1);
          return reject(address, window, retryAfterLossSeconds);
        }
      }
    }
    const verification = await window.lookUp(kind, () => accessTokens.verify(text));
    remember(hash, verification);
    return verification;
  }

  return {
    verify(address, text, cached) {
      if (cached !== undefined) return conclude(address, windows.get(address), cached);
      return windows.use(address, (window) => lookUp(address, window, text));
    },
    clear: () => windows.clear(),
  };
}

/** How many client addresses are counted. Past that the one whose latest request is the longest ago is forgotten. */
export const countedAddresses = 10_000;

/** The windows of all addresses. Those with a failure end by themselves, a minute after the first. */
export class AddressWindows {
  readonly #limit: number;
  readonly #failed: LRUCache<string, FailureWindow>;
  /** Most addresses never have a failure. Adding them to the cache and removing them would cost more than a look-up. */
  readonly #pending = new Map<string, FailureWindow>();

  /**
   * @param limit how many failures an address may have
   * @param onEnd called with each address that was limited, once that is over
   */
  constructor(limit: number, onEnd: (address: string, rejected: number) => void) {
    this.#limit = limit;
    this.#failed = new LRUCache({
      max: countedAddresses,
      ttl: windowMs,
      ttlAutopurge: true,
      // The clock of the windows, too.
      perf: performance,
      // Otherwise it starts a timer instead of reading the clock again within a millisecond.
      ttlResolution: 0,
      dispose: ({ rejected }, address) => {
        if (rejected > 0) onEnd(address, rejected);
      },
    });
  }

  /** The window of an address, with its failures, for one that fails now. */
  get(address: string): FailureWindow {
    return this.#failed.get(address) ?? this.#pending.get(address) ?? this.#create(address);
  }

  /** Makes a look-up within the window of an address, which is not kept afterwards if none has failed. */
  async use<Result>(address: string, lookUp: (window: FailureWindow) => Promise<Result>): Promise<Result> {
    const window = this.get(address);
    if (!window.hasFailures) this.#pending.set(address, window);
    window.pending++;
    try {
      return await lookUp(window);
    } finally {
      window.pending--;
      if (window.pending === 0 && this.#pending.get(address) === window) this.#pending.delete(address);
    }
  }

  /** Forgets all failures. */
  clear(): void {
    this.#failed.clear();
  }

  #create(address: string): FailureWindow {
    const window: FailureWindow = new FailureWindow(this.#limit, () => {
      this.#pending.delete(address);
      this.#failed.set(address, window);
    });
    return window;
  }
}

/**
 * Limits failed authentications, and logs which addresses were limited, and how many of their requests were rejected.
 *
 * @param failuresPerMinute 0 is no limit
 */
export function createLoggedAuthenticationLimit(
  accessTokens: TokenVerifier,
  failuresPerMinute: number,
  log: { warn(fields: object, message: string): void },
): AuthenticationLimit {
  if (failuresPerMinute === 0) {
    return {
      verify: (_address, text, cached) => cached ?? accessTokens.verify(text),
      clear: () => undefined,
    };
  }
  return createAuthenticationLimit(accessTokens, {
    failuresPerMinute,
    onStart: (clientAddress, seconds) => log.warn({ clientAddress, seconds }, 'authentication limited'),
    onEnd: (clientAddress, rejected) => log.warn({ clientAddress, rejected }, 'authentication limit over'),
  });
}
