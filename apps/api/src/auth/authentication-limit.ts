import { LRUCache } from 'lru-cache';
import { hashAccessToken } from './access-token-format.js';
import type { AccessTokens, Verification } from './access-tokens.js';
import { FailureWindow, windowMs } from './failure-window.js';

/** How many client addresses are counted. Past that the one whose latest request is the longest ago is forgotten. */
export const countedAddresses = 10_000;

/** How many tokens are remembered that were valid when they were looked up last. */
const rememberedTokens = 10_000;

/** The result of a verification, or how long its client address may make no more of them. */
export type LimitedVerification =
  | Verification
  | { readonly status: 'limited'; readonly retryAfterSeconds: number };

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
  const windows = createWindows(onEnd);
  // By hash: the text of a token is kept nowhere.
  const validTokens = new LRUCache<string, true>({ max: rememberedTokens });

  function openWindow(address: string): FailureWindow {
    const window = new FailureWindow(failuresPerMinute);
    windows.set(address, window);
    return window;
  }

  function reject(address: string, window: FailureWindow): LimitedVerification {
    const retryAfterSeconds = window.secondsLeft;
    if (window.rejected++ === 0) onStart(address, retryAfterSeconds);
    return { status: 'limited', retryAfterSeconds };
  }

  function conclude(address: string, window: FailureWindow, cached: Verification): LimitedVerification {
    if (cached.status === 'valid') return cached;
    if (window.isLimited) return reject(address, window);
    window.fail();
    return cached;
  }

  async function verifyWithin(
    window: FailureWindow,
    address: string,
    text: string,
  ): Promise<LimitedVerification> {
    const hash = hashAccessToken(text);
    if (!validTokens.has(hash)) {
      while (window.isFull) {
        await window.wait();
        const cached = accessTokens.verifyCached(text);
        if (cached === undefined) continue;
        window.wakeNext();
        return conclude(address, window, cached);
      }
      if (window.isLimited && !window.takeSpareLookUp()) return reject(address, window);
    }
    const verification = await window.lookUp(() => accessTokens.verify(text));
    if (verification.status === 'valid') validTokens.set(hash, true);
    else validTokens.delete(hash);
    return verification;
  }

  async function lookUp(address: string, text: string): Promise<LimitedVerification> {
    const window = windows.get(address) ?? openWindow(address);
    window.pending++;
    try {
      return await verifyWithin(window, address, text);
    } finally {
      window.pending--;
      // An address without failures is not kept.
      if (window.isUnused && windows.peek(address) === window) windows.delete(address);
    }
  }

  return {
    verify(address, text, cached) {
      if (cached === undefined) return lookUp(address, text);
      return conclude(address, windows.get(address) ?? openWindow(address), cached);
    },
    clear: () => windows.clear(),
  };
}

/** Creates the windows of all addresses, which end by themselves. */
function createWindows(onEnd: AuthenticationLimitOptions['onEnd']): LRUCache<string, FailureWindow> {
  return new LRUCache({
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
