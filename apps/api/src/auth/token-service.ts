import { hash, randomBytes } from 'node:crypto';
import {
  accessTokenChecksum,
  accessTokenPrefix,
  accessTokenSecretLength,
  defaultScopes,
  isAccessTokenFormat,
  type Scope,
  toBase62,
} from '@plant-store/contract/access-token';
import { MAX_TOKENS } from '@plant-store/contract/messages';
import {
  type AccessToken,
  type Actor,
  type Issue,
  type IssuedAccessToken,
  ownTokenRejections,
  type TokenChange,
  type TokenRequest,
  type Tokens,
} from '@plant-store/records';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { operator } from '../runtime/operator.js';

/** How long a look-up is cached, in milliseconds. A token that another process revoked still works here for this long. */
const cacheTtlMs = 3_000;

export const cacheSize = 10_000;

export type Verification =
  | { readonly status: 'valid'; readonly token: AccessToken; readonly subject?: undefined }
  | {
      readonly status: 'valid';
      readonly token?: undefined;
      readonly subject: string;
      readonly scopes: readonly Scope[];
      /** Accepted until this time, in milliseconds since the epoch. */
      readonly acceptedUntil: number;
    }
  /** A valid JSON Web Token without the required scope. */
  | { readonly status: 'insufficient_scope'; readonly scope: string }
  | { readonly status: TokenRejection };

export interface TokenService extends TokenVerifier, Tokens {
  /** Issues a token for the command line, without limiting the number of valid tokens. A replaced token stays unchanged. */
  issue(request: TokenRequest, replaced?: Pick<AccessToken, 'id' | 'name'>): Promise<IssuedAccessToken>;
  /**
   * Makes a replaced token expire after a time, in milliseconds, unless it expires earlier; 0 revokes it. Not audited, because the rotation
   * already is. Returns `null` if there is no such ID.
   */
  expireAfter(id: number, afterMs: number): Promise<AccessToken | null>;
  /** Revokes a token as `Tokens.revoke` does; by default for the command line. */
  revoke(id: number, by?: Actor): Promise<AccessToken | null>;
}

export interface TokenVerifier {
  /** Verifies a token without reading the store; returns `undefined` if the store must be read. */
  verifyCached(text: string): Verification | undefined;
  /** Verifies a request's token: synchronously if the result is cached, otherwise by reading the store. */
  verify(text: string): Verification | Promise<Verification>;
}

/**
 * Creates the token service for a store.
 *
 * @param onUse called with each valid token that is read from the store, which happens every 3 seconds while the token is in use; not
 * called for cached tokens
 */
export function createTokenService(
  store: Omit<AccessTokenStore, 'list' | 'findNextExpiry' | 'recordUses' | 'listHashed' | 'importToken'>,
  now: () => number = Date.now,
  onUse?: (token: AccessToken) => void,
): TokenService {
  const lookUps = cacheLookUps<{ readonly token: AccessToken | null }>({
    isWellFormed: isAccessTokenFormat,
    malformed: { status: 'malformed' },
    // Unknown tokens are cached, too.
    async lookUp(_text, hash) {
      const token = await store.findByHash(hash);
      if (token !== null && toVerification({ token }).status === 'valid') onUse?.(token);
      return { token };
    },
    toVerification,
  });

  function toVerification({ token }: { readonly token: AccessToken | null }): Verification {
    if (token === null) return { status: 'unknown' };
    if (token.revokedAt !== null) return { status: 'revoked' };
    if (token.expiresAt !== null && token.expiresAt.getTime() <= now()) return { status: 'expired' };
    return { status: 'valid', token };
  }

  function createToken({ name, scopes = defaultScopes, expiresAt, ratePerMinute = null }: TokenRequest) {
    const secret = generateAccessToken();
    const hash = hashAccessToken(secret);
    return { secret, toStore: { name, scopes, hash, expiresAt: expiresAt ?? null, ratePerMinute } };
  }

  return {
    async issue(request, replaced) {
      const { secret, toStore } = createToken(request);
      return { secret, token: await store.add(toStore, operator(), replaced) };
    },

    async issueWithinLimit(request, { by, replaces, check }) {
      const { secret, toStore } = createToken(request);
      const createdAt = new Date(now());
      const limited = replaces && { ...replaces, at: new Date(now() + replaces.afterMs) };
      const issue = { by, replaces: limited, check };
      const token = await store.addWithinLimit(MAX_TOKENS, { ...toStore, createdAt }, issue);
      if (replaces !== undefined) lookUps.clear();
      return token === null ? undefined : { secret, token };
    },

    listLatest: () => store.listLatest(MAX_TOKENS, new Date(now())),
    find: (id) => store.find(id),

    async expireAfter(id, afterMs) {
      const at = new Date(now() + afterMs);
      const token = await (afterMs === 0 ? store.revoke(id, at) : store.expire(id, at));
      lookUps.clear();
      return token;
    },

    async revoke(id, by = operator()) {
      const token = await store.revoke(id, new Date(now()), by);
      lookUps.clear();
      return token;
    },

    verifyCached: lookUps.verifyCached,
    verify: lookUps.verify,
  };
}

interface LookUps<Found> {
  isWellFormed(text: string): boolean;
  /** The result for a malformed token, which is not looked up. */
  readonly malformed: Verification;
  /** Looks up a token. Errors are not cached. */
  lookUp(text: string, hash: string): Promise<Found>;
  toVerification(found: Found): Verification;
}

/**
 * Creates a verifier that caches results by token hash, so that no token is kept in memory. Concurrent look-ups of a token share one read.
 */
export function cacheLookUps<Found extends object>({
  isWellFormed,
  malformed,
  lookUp,
  toVerification,
}: LookUps<Found>): TokenVerifier & { clear(): void } {
  const cache = new LRUCache<string, Found, string>({
    max: cacheSize,
    ttl: cacheTtlMs,
    // If its entry is evicted or cleared, a look-up still completes, but its result is not cached.
    ignoreFetchAbort: true,
    fetchMethod: (hash, _stale, { context: text }) => lookUp(text, hash),
  });

  function verifyCached(text: string, hash = hashAccessToken(text)): Verification | undefined {
    const cached = cache.get(hash);
    if (cached !== undefined) return toVerification(cached);
    // Checked only if nothing is cached, because only then does the check save a look-up.
    return isWellFormed(text) ? undefined : malformed;
  }

  return {
    verifyCached,
    verify(text) {
      const hash = hashAccessToken(text);
      return verifyCached(text, hash) ?? cache.forceFetch(hash, { context: text }).then(toVerification);
    },
    clear: () => cache.clear(),
  };
}

const jwtRejections = {
  malformed_jwt:
    'The access token is neither a Plant Store token (pst_ followed by 49 characters) nor a signed JSON Web Token of at most 8192 characters. Send it as it was issued.',
  unsupported_extension:
    'The JSON Web Token requires an extension (crit) that is not supported. Request a token without the extension.',
  wrong_type:
    'The type (typ) of the JSON Web Token is not an access token type. Send the access token, not another token.',
  algorithm_not_allowed:
    'The JSON Web Token is signed with an algorithm (alg) that is not allowed. Request a token signed with an allowed algorithm.',
  wrong_issuer:
    'The JSON Web Token comes from another issuer (iss). Request a token from the identity provider of this service.',
  wrong_audience: 'The JSON Web Token is meant for another audience (aud). Request a token for this service.',
  unknown_key:
    'The JSON Web Token is signed with a key (kid) that the identity provider does not publish. Request a new token.',
  unusable_key:
    "The signing key of the JSON Web Token cannot be used. Ask the operator to check the identity provider's keys.",
  bad_signature: "The JSON Web Token's signature is not valid. Send the token as it was issued.",
  missing_claim:
    'A claim in the JSON Web Token is missing or malformed. Request a token with the issuer (iss), audience (aud), expiry (exp), and subject (sub) claims.',
  not_yet_valid: "The JSON Web Token is not valid yet (nbf, iat). Wait, or correct the issuer's clock.",
};

/** Every reason to reject a token, with the reply's message. */
export const tokenRejections = { ...ownTokenRejections, ...jwtRejections } as const;

type TokenRejection = keyof typeof tokenRejections;

export type JwtRejection = keyof typeof jwtRejections | 'expired' | 'insufficient_scope';

const secretBytes = 32;
const tokenWithin = new RegExp(`${accessTokenPrefix}[0-9A-Za-z]+`, 'g');

/** Generates an access token of 53 characters, from the platform's secure random source. */
export function generateAccessToken(): string {
  const secret = BigInt(`0x${randomBytes(secretBytes).toString('hex')}`);
  const body = accessTokenPrefix + toBase62(secret, accessTokenSecretLength);
  return body + accessTokenChecksum(body);
}

/** Returns the SHA-256 of an access token in hexadecimal, which is stored instead of the token. */
export function hashAccessToken(token: string): string {
  return hash('sha256', token, 'hex');
}

/**
 * Matches a JSON Web Token. Its payload begins with `{"` in base64url, but its header can contain a space there. The lookbehind keeps the
 * time linear, because a possible header is tried only from its first character.
 */
const jwtWithin = /(?<![\w-])[\w-]+\.eyJ[\w-]+(\.[\w-]*)?/g;

/** Masks every access token in a text, complete or truncated, and every JSON Web Token, so that the text can be logged. */
export function hideAccessTokens(text: string): string {
  const hidden = !text.includes(accessTokenPrefix)
    ? text
    : text.replaceAll(tokenWithin, `${accessTokenPrefix}***`);
  return !hidden.includes('.eyJ') ? hidden : hidden.replaceAll(jwtWithin, '***');
}

export interface TokenUse {
  readonly id: number;
  readonly at: Date;
}

/** An access token with the SHA-256 of its text in hexadecimal, for moving it to another store. */
export type HashedAccessToken = Omit<AccessToken, 'id'> & { readonly hash: string };

/** An access token to store, with the SHA-256 of its text in hexadecimal. */
export interface NewAccessToken {
  readonly name: string;
  readonly hash: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
  readonly ratePerMinute?: number | null;
}

/** A store of access tokens, on any database engine. Every method can throw `database_unavailable`. */
export interface AccessTokenStore {
  /**
   * Stores a token under the SHA-256 of its text, in hexadecimal, and adds an audit entry.
   *
   * @param replaced the old token of a rotation, which stays unchanged
   */
  add(token: NewAccessToken, by: Actor, replaced?: Pick<AccessToken, 'id' | 'name'>): Promise<AccessToken>;
  /** Stores a token as `add` does, or returns `null` if at least `limit` tokens are valid. The limit holds across all processes. */
  addWithinLimit(
    limit: number,
    token: NewAccessToken & { readonly createdAt: Date },
    issue: Issue & {
      readonly replaces?: (NonNullable<Issue['replaces']> & { readonly at: Date }) | undefined;
    },
  ): Promise<AccessToken | null>;
  findByHash(hash: string): Promise<AccessToken | null>;
  find(id: number): Promise<AccessToken | null>;
  /** Returns all tokens, including revoked and expired ones, in order of ID. */
  list(): Promise<readonly AccessToken[]>;
  /** Returns the tokens that are valid at a time, and the `maxEnded` most recent ones that have ended, in order of ID. */
  listLatest(maxEnded: number, at: Date): Promise<readonly AccessToken[]>;
  /**
   * Returns the earliest time at which a name has no valid token left. Only names with a token that is valid at `at` and was used since
   * `usedSince` count. Returns `null` if each of these names has a token that never expires. A replaced token has the name of its
   * replacement.
   */
  findNextExpiry(at: Date, usedSince: Date): Promise<Date | null>;
  /**
   * Marks a token as revoked, and adds an audit entry. A second call keeps the first time. Returns `null` if there is no such ID.
   *
   * @param by who revokes it; if omitted, nothing is audited, because the rotation already is
   */
  revoke(id: number, at: Date, by?: Actor): Promise<AccessToken | null>;
  /** Makes a token expire at a time, unless it expires earlier or was revoked. Returns `null` if there is no such ID. */
  expire(id: number, at: Date): Promise<AccessToken | null>;
  /**
   * Stores when tokens were used, unless a later time is stored already. Unlike other writes, this one does not wait for the disk, so a
   * crash can undo it.
   */
  recordUses(uses: readonly TokenUse[]): Promise<void>;
  /** Returns all tokens with their hashes, in order of ID. */
  listHashed(): Promise<readonly HashedAccessToken[]>;
  /**
   * Imports another store's token under a new ID. If its hash exists already, the existing token stays, is revoked if the imported one is,
   * and keeps the later last use. Both cases are audited.
   *
   * @returns whether the token was new
   */
  importToken(token: HashedAccessToken, by: Actor): Promise<boolean>;
}

/**
 * Logs a token change, without the token's text.
 *
 * @param by who changed it: a token ID, `subject` and a JSON Web Token's subject, or `command line`
 * @param replaces the ID of the token that it was rotated from
 */
export function logTokenChange(
  log: Pick<Logger, 'info'>,
  change: TokenChange,
  { id, name, scopes }: AccessToken,
  by: string,
  replaces?: number,
): void {
  log.info({ change, by, changed: { id, name, scopes, replaces } }, 'access token changed');
}
