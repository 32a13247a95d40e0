import { accessTokenPrefix } from '@plant-store/contract/access-token';
import { LRUCache } from 'lru-cache';
import { hashAccessToken } from '../access-token-format.js';
import type { AccessTokens, Verification } from '../access-tokens.js';
import { AddressWindows } from './address-windows.js';
import { type FailureWindow, windowMs } from './failure-window.js';

/** How many tokens are remembered that were valid when they were looked up last, and how many that were not. */
const rememberedTokens = 10_000;

/** The result of a verification, or how long its client address may make no more of them. */
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
export interface AuthenticationLimitOptions {
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
  const rejectedTokens = new LRUCache<string, true>({
    max: rememberedTokens,
    ttl: windowMs,
    perf: performance,
    ttlResolution: 0,
  });

  function reject(address: string, window: FailureWindow): LimitedVerification {
    const retryAfterSeconds = window.secondsLeft;
    const isFirst = window.rejected++ === 0;
    if (isFirst) onStart(address, retryAfterSeconds);
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
      if (window.isLimited && (rejectedTokens.has(hash) || !window.takeSpareLookUp()))
        return reject(address, window);
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
