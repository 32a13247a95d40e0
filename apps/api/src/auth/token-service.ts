import { scopes as allScopes, isAccessTokenFormat, type Scope } from '@plant-store/contract/access-token';
import { messages } from '@plant-store/contract/messages';
import { LRUCache } from 'lru-cache';
import { generateAccessToken, hashAccessToken } from './access-token-format.js';
import type { AccessToken, AccessTokenStore } from './access-token-store.js';

/** How long a look-up is cached, and thus how long a token stays valid that another process has revoked. */
export const cacheTtlMs = 3_000;

/** How many look-ups are cached. */
export const cacheSize = 10_000;

/** The result of verifying a token. */
export type Verification =
  /** An access token of this service. */
  | { readonly status: 'valid'; readonly token: AccessToken; readonly subject?: undefined }
  /** A JSON Web Token, issued for this subject. */
  | {
      readonly status: 'valid';
      readonly token?: undefined;
      readonly subject: string;
      /** What it permits. */
      readonly scopes: readonly Scope[];
      /** When it is no longer accepted, in milliseconds since the epoch. */
      readonly acceptedUntil: number;
    }
  /** A valid JSON Web Token without the scope that is required. */
  | { readonly status: 'insufficient_scope'; readonly scope: string }
  | { readonly status: TokenRejection };

/** What an access token is issued for. */
export interface TokenRequest {
  readonly name: string;
  /** What it permits. Default: everything. */
  readonly scopes?: readonly Scope[];
  /** Default: never. */
  readonly expiresAt?: Date;
}

/** Issues, lists, revokes and verifies access tokens. */
export interface TokenService extends TokenVerifier {
  /** Issues a token. Its text is returned here only: the store has its SHA-256. */
  issue(request: TokenRequest): Promise<{ text: string; token: AccessToken }>;
  list(): Promise<readonly AccessToken[]>;
  /** Revokes a token: immediately in this process, within 3 seconds in any other. `null` when there is no such id. */
  revoke(id: number): Promise<AccessToken | null>;
}

/** Verifies access tokens. */
export interface TokenVerifier {
  /** Verifies a token as far as that takes no look-up; `undefined` when the store has to be read. */
  verifyCached(text: string): Verification | undefined;
  /** Verifies the token of a request: synchronously if the cache has it, otherwise by reading the store. */
  verify(text: string): Verification | Promise<Verification>;
}

/**
 * Creates access tokens over a store.
 *
 * @param now returns the time in milliseconds since the epoch
 * @param onUse called with each valid token that is looked up: while a token is in use, every 3 seconds. A cached one costs
 * nothing more.
 */
export function createTokenService(
  store: Pick<AccessTokenStore, 'add' | 'findByHash' | 'list' | 'revoke'>,
  now: () => number = Date.now,
  onUse?: (token: AccessToken) => void,
): TokenService {
  // Concurrent look-ups of one token share one read. Unknown tokens are cached, too.
  const cache = new LRUCache<string, { readonly token: AccessToken | null }>({
    max: cacheSize,
    ttl: cacheTtlMs,
    // A look-up goes on when its entry is evicted or cleared, but its result is not cached then.
    ignoreFetchAbort: true,
    fetchMethod: async (hash) => {
      const token = await store.findByHash(hash);
      if (token !== null && toVerification(token).status === 'valid') onUse?.(token);
      return { token };
    },
  });

  function toVerification(token: AccessToken | null): Verification {
    if (token === null) return { status: 'unknown' };
    if (token.revokedAt !== null) return { status: 'revoked' };
    if (token.expiresAt !== null && token.expiresAt.getTime() <= now()) return { status: 'expired' };
    return { status: 'valid', token };
  }

  function verifyCached(text: string, hash: string): Verification | undefined {
    const cached = cache.get(hash);
    if (cached !== undefined) return toVerification(cached.token);
    // The format is checked only where that saves a look-up.
    return isAccessTokenFormat(text) ? undefined : { status: 'malformed' };
  }

  return {
    async issue({ name, scopes = allScopes, expiresAt = null }) {
      const text = generateAccessToken();
      const token = await store.add({ name, scopes, hash: hashAccessToken(text), expiresAt });
      return { text, token };
    },

    list: () => store.list(),

    async revoke(id) {
      const token = await store.revoke(id, new Date(now()));
      cache.clear();
      return token;
    },

    verifyCached: (text) => verifyCached(text, hashAccessToken(text)),

    verify(text) {
      const hash = hashAccessToken(text);
      const cached = verifyCached(text, hash);
      return cached ?? cache.forceFetch(hash).then(({ token }) => toVerification(token));
    },
  };
}

/** Why an access token of this service is not valid, with the message of the reply. */
const ownTokenRejections = {
  malformed: messages.malformedToken,
  unknown: messages.unknownToken,
  expired: 'The access token has expired. Get a new one.',
  revoked: 'The access token was revoked. Ask the operator for a new one.',
};

/** The same for a JSON Web Token, which may also have expired, or have not the required scope. */
const jwtRejections = {
  malformed_jwt:
    'The access token is neither one of this service, pst_ and 49 characters, nor a signed JSON Web Token of at most 8192 characters. Send it as it was issued.',
  unsupported_extension:
    'The JSON Web Token demands an extension (crit) that is not supported. Request one without it.',
  wrong_type:
    'The type (typ) of the JSON Web Token is not that of an access token. Send the access token, not another one.',
  algorithm_not_allowed:
    'The JSON Web Token is signed with an algorithm (alg) that is not allowed here. Request one that is signed with another.',
  wrong_issuer:
    'The JSON Web Token comes from another issuer (iss). Request one from the identity provider of this service.',
  wrong_audience: 'The JSON Web Token is meant for another audience (aud). Request one for this service.',
  unknown_key:
    'The JSON Web Token is signed with a key (kid) that the identity provider does not publish. Request a new one.',
  unusable_key:
    'The key of the JSON Web Token cannot be used. Ask the operator to check the keys of the identity provider.',
  bad_signature: 'The signature of the JSON Web Token is not valid. Send the token as it was issued.',
  missing_claim:
    'The JSON Web Token lacks a claim, or it is malformed: iss, aud, exp and sub are required. Request one that has them.',
  not_yet_valid: 'The JSON Web Token is not valid yet (nbf, iat). Wait, or correct the clock of its issuer.',
};

/** Every reason that a token is not valid for, with the message of the reply. */
export const tokenRejections = { ...ownTokenRejections, ...jwtRejections } as const;

/** Why a token is not valid. */
type TokenRejection = keyof typeof tokenRejections;

/** Why a JSON Web Token is rejected. */
export type JwtRejection = keyof typeof jwtRejections | 'expired' | 'insufficient_scope';
