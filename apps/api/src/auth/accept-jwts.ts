import { accessTokenPrefix } from '@plant-store/contract/access-token';
import { LRUCache } from 'lru-cache';
import { hashAccessToken } from './access-token-format.js';
import type { JwtRejection } from './access-tokens.js';
import { type AccessTokens, cacheSize, cacheTtlMs, type Verification } from './access-tokens.js';
import type { JwtSettings } from './jwt-settings.js';
import { createProviderKeys, type JwtLog } from './provider-keys.js';
import { JwtRejectedError, type VerifiedJwt, verifyJwt } from './verify-jwt.js';

/** The longest token that is looked at, in characters. */
const maxLength = 8_192;

/** A JWS in the compact form (RFC 7515, section 3.1); an unsecured one has no signature. */
const shape = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** The result of a check: a valid token, or why it is rejected. */
type CheckedJwt = VerifiedJwt | { readonly status: JwtRejection };

/** Access tokens that accept JSON Web Tokens, too. */
export interface AccessTokensWithJwts extends AccessTokens {
  /** Stops fetching the keys of the identity provider. */
  close(): void;
}

/**
 * Accepts the JSON Web Tokens of an identity provider beside the access tokens of this service, which are recognized by
 * their prefix and verified as before. The result for one is cached as long as those.
 *
 * @param now returns the time in milliseconds since the epoch
 * @param ttlMs how long a result is cached, in milliseconds
 */
export function acceptJwts(
  accessTokens: AccessTokens,
  settings: JwtSettings,
  log: JwtLog,
  now: () => number = Date.now,
  ttlMs = cacheTtlMs,
): AccessTokensWithJwts {
  const keys = createProviderKeys(settings, log);
  // Concurrent checks of one token share one. Rejections are cached, too, unless the next fetch of keys may change them.
  const cache = new LRUCache<string, CheckedJwt, string>({
    max: cacheSize,
    ttl: ttlMs,
    // A check goes on when its entry is evicted.
    ignoreFetchAbort: true,
    fetchMethod: (_hash, _stale, { context: text }) =>
      verifyJwt(text, settings, keys, now()).catch((error: unknown) => {
        if (!(error instanceof JwtRejectedError) || concernsKey(error)) throw error;
        return { status: error.status };
      }),
  });
  let unusableKeyLoggedAt = -Infinity;

  function rejectForKey(error: unknown): Verification {
    if (!(error instanceof JwtRejectedError)) throw error;
    // About once per fetch of keys.
    if (error.status === 'unusable_key' && now() - unusableKeyLoggedAt >= settings.keyTimes.refreshMs) {
      unusableKeyLoggedAt = now();
      log.warn({ err: error.cause }, 'a key of the identity provider cannot be used');
    }
    return toVerification(error);
  }

  function toVerification(checked: CheckedJwt): Verification {
    if (!('status' in checked)) {
      const { subject, acceptedUntil } = checked;
      return acceptedUntil > now() ? { status: 'valid', subject, acceptedUntil } : { status: 'expired' };
    }
    const { status } = checked;
    return status === 'insufficient_scope' ? { status, scope: settings.requiredScope ?? '' } : { status };
  }

  function verifyCached(text: string, hash: string): Verification | undefined {
    const cached = cache.get(hash);
    if (cached !== undefined) return toVerification(cached);
    return text.length <= maxLength && shape.test(text) ? undefined : { status: 'malformed_jwt' };
  }

  return {
    ...accessTokens,

    verifyCached(text) {
      if (text.startsWith(accessTokenPrefix)) return accessTokens.verifyCached(text);
      return verifyCached(text, hashAccessToken(text));
    },

    verify(text) {
      if (text.startsWith(accessTokenPrefix)) return accessTokens.verify(text);
      const hash = hashAccessToken(text);
      return (
        verifyCached(text, hash) ??
        cache.forceFetch(hash, { context: text }).then(toVerification, rejectForKey)
      );
    },

    close: keys.close,
  };
}

/** Whether the reason of a rejection is a key, which the next fetch of keys may bring. */
function concernsKey({ status }: JwtRejectedError): boolean {
  return status === 'unknown_key' || status === 'unusable_key';
}
