import { scopes as allScopes, type Scope } from '@plant-store/contract/access-token';
import { messages } from '@plant-store/contract/messages';
import type { IssuedToken, NewToken, OwnToken, Token, TokenRotation } from '@plant-store/contract/operations';
import { type Actor, nameActor } from './audit.js';
import { ServiceError } from './errors.js';
import { unauthorized } from './requests.js';

/** An access token as it is stored, without its secret. */
export interface AccessToken {
  readonly id: number;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** When the token was last used, updated at most once an hour. `null` if it was never used, or not since version 1.1. */
  readonly lastUsedAt: Date | null;
  /** The maximum requests per minute. `null` for the service's setting. */
  readonly ratePerMinute?: number | null;
}

export interface TokenRequest {
  readonly name: string;
  /** Default: `defaultScopes`. */
  readonly scopes?: readonly Scope[];
  /** Default: never. */
  readonly expiresAt?: Date;
  /** The maximum requests per minute. Default: the service's setting. */
  readonly ratePerMinute?: number | null;
}

/** A token with its secret, which is returned only when the token is issued. */
export interface IssuedAccessToken {
  readonly secret: string;
  readonly token: AccessToken;
}

/** Who issues a token, which token it replaces, and what must be true. */
export interface Issue {
  readonly by: Actor;
  /** The token to replace, and how long it can still work, in milliseconds. 0 revokes it. */
  readonly replaces?: { readonly id: number; readonly afterMs: number } | undefined;
  /**
   * Called before anything is stored, with the current state of the issuer's token and of the token to replace. If it throws, nothing is
   * stored.
   */
  check(issuer: AccessToken | null, replaced: AccessToken | null): void;
}

/** The store of access tokens that the token operations use. Each change is audited in the same transaction. */
export interface Tokens {
  /**
   * Issues a token, or returns `undefined` if `MAX_TOKENS` are already valid. Atomic: no token changes between the check of the issuer and
   * the insert.
   */
  issueWithinLimit(request: TokenRequest, issue: Issue): Promise<IssuedAccessToken | undefined>;
  /** Returns all valid tokens, and the latest `MAX_TOKENS` that were revoked or have expired, ordered by ID. */
  listLatest(): Promise<readonly AccessToken[]>;
  /** Returns `null` if there is no such ID. */
  find(id: number): Promise<AccessToken | null>;
  /** Revokes a token: immediately in this process, and within 3 seconds in others. Returns `null` if there is no such ID. */
  revoke(id: number, by: Actor): Promise<AccessToken | null>;
}

export type TokenChange = 'created' | 'rotated' | 'revoked';

/** The reply messages for an access token of this service that is not valid, by reason. */
export const ownTokenRejections = {
  malformed: messages.malformedToken,
  unknown: messages.unknownToken,
  expired: 'The access token has expired. Get a new one.',
  revoked: 'The access token was revoked. Ask the operator for a new one.',
};

/** Whether a token was revoked or has expired. */
export function isEnded({ revokedAt, expiresAt }: AccessToken, now: number): boolean {
  return revokedAt !== null || (expiresAt !== null && expiresAt.getTime() <= now);
}

/** The last millisecond of the year 9999. `token import` expects years of four digits (RFC 3339). */
const latestExpiry = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Returns the request for a token that replaces another one, with the same name, scopes, rate limit, and lifetime.
 *
 * @param now the current time, in milliseconds since 1970
 */
export function successorOf(
  { name, scopes, createdAt, expiresAt, ratePerMinute = null }: AccessToken,
  now: number,
): TokenRequest {
  const same = { name, scopes, ratePerMinute };
  if (expiresAt === null) return same;
  const expiry = now + expiresAt.getTime() - createdAt.getTime();
  return { ...same, expiresAt: new Date(Math.min(expiry, latestExpiry)) };
}

/** The caller's token: an access token or a JSON Web Token. It cannot grant more than it has. */
export interface OwnAccess {
  readonly by: Actor;
  readonly token?: AccessToken | undefined;
  /** The subject of a JSON Web Token. */
  readonly subject?: string | undefined;
  readonly scopes: readonly Scope[];
  /** When the token expires, in milliseconds since 1970. */
  readonly expiresAt?: number | undefined;
}

/**
 * Creates the token operations.
 *
 * @param ratePerMinute the rate limit of a token that does not define one. 0 means no limit
 * @param onChange called after each token change, with the actor and, for a rotation, the ID of the replaced token
 */
export function createTokenManagement(
  tokens: Tokens,
  ratePerMinute: number,
  onChange: (change: TokenChange, token: AccessToken, by: string, replaces?: number) => void,
  now: () => number = Date.now,
) {
  /** @throws {ServiceError} `exceeds_issuer` if the request exceeds the issuer's scopes, expiry, or rate limit */
  function requireWithin(request: TokenRequest, issuer: OwnAccess): void {
    const missingScope = request.scopes?.find((scope) => !issuer.scopes.includes(scope));
    if (missingScope !== undefined) throw exceedsIssuer(messages.scopeExceedsIssuer(missingScope));
    const { expiresAt = Number.POSITIVE_INFINITY } = issuer;
    if ((request.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY) > expiresAt)
      throw exceedsIssuer(messages.expiryExceedsIssuer(new Date(expiresAt).toISOString()));
    const rate = request.ratePerMinute ?? ratePerMinute;
    const issuerRate = issuer.token?.ratePerMinute ?? ratePerMinute;
    if (issuerRate > 0 && (rate === 0 || rate > issuerRate))
      throw exceedsIssuer(messages.rateExceedsIssuer(issuerRate));
  }

  /**
   * Issues a token. Fails if the caller's token was revoked or has a shorter lifetime than when the request was authenticated. Lookups are
   * cached and a body can arrive late, so the check runs in the same transaction as the insert.
   */
  async function issue(request: TokenRequest, issuer: OwnAccess, replaces?: Issue['replaces']) {
    requireWithin(request, issuer);
    const issued = await tokens.issueWithinLimit(request, {
      by: issuer.by,
      replaces,
      check(issuerToken, replaced) {
        if (issuerToken !== null) {
          if (isEnded(issuerToken, now()))
            throw unauthorized(
              'invalid_token',
              ownTokenRejections[issuerToken.revokedAt === null ? 'expired' : 'revoked'],
            );
          requireWithin(request, { ...issuer, expiresAt: issuerToken.expiresAt?.getTime() });
        }
        if (replaced !== null) requireActive(replaced);
      },
    });
    if (issued === undefined) throw new ServiceError('invalid_token_request', messages.tooManyTokens);
    return issued;
  }

  /** @throws {ServiceError} `token_inactive` */
  function requireActive(token: AccessToken): void {
    if (isEnded(token, now()))
      throw new ServiceError('token_inactive', messages.tokenInactive(BigInt(token.id)));
  }

  return {
    async list(): Promise<Token[]> {
      return (await tokens.listLatest()).map(showToken);
    },

    /** @throws {ServiceError} `exceeds_issuer` */
    async create(
      { name, scopes, expiresAt, ratePerMinute }: NewToken,
      issuer: OwnAccess,
    ): Promise<IssuedToken> {
      const expiry = expiresAt === undefined ? issuer.expiresAt : Date.parse(expiresAt);
      const { secret, token } = await issue(
        {
          name,
          scopes: allScopes.filter((scope) => scopes.includes(scope)),
          ...(expiry !== undefined && { expiresAt: new Date(expiry) }),
          ratePerMinute: ratePerMinute ?? (issuer.token?.ratePerMinute || null),
        },
        issuer,
      );
      onChange('created', token, nameActor(issuer.by));
      return { ...showToken(token), secret };
    },

    /** @throws {ServiceError} `token_not_found`, `token_inactive` or `exceeds_issuer` */
    async rotate(
      id: bigint,
      { overlapSeconds, expiresAt }: TokenRotation,
      issuer: OwnAccess,
    ): Promise<IssuedToken> {
      const old = isStorable(id) ? await tokens.find(Number(id)) : null;
      if (old === null) throw notFound(id);
      requireActive(old);
      const successor = successorOf(old, now());
      const issuerExpiry = issuer.expiresAt ?? Number.POSITIVE_INFINITY;
      const expiry =
        expiresAt === undefined
          ? Math.min(successor.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY, issuerExpiry)
          : Date.parse(expiresAt);
      const { secret, token } = await issue(
        { ...successor, ...(Number.isFinite(expiry) && { expiresAt: new Date(expiry) }) },
        issuer,
        { id: old.id, afterMs: overlapSeconds * 1_000 },
      );
      onChange('rotated', token, nameActor(issuer.by), old.id);
      return { ...showToken(token), secret };
    },

    /** @throws {ServiceError} `token_not_found` */
    async revoke(id: bigint, by: Actor): Promise<void> {
      const token = isStorable(id) ? await tokens.revoke(Number(id), by) : null;
      if (token === null) throw notFound(id);
      onChange('revoked', token, nameActor(by));
    },
  };
}

/** Whether an ID fits into the column of the database, a positive 32-bit integer. */
const isStorable = (id: bigint) => id >= 1n && id < 2n ** 31n;

const exceedsIssuer = (message: string) => new ServiceError('exceeds_issuer', message);

const notFound = (id: bigint) => new ServiceError('token_not_found', messages.tokenNotFound(id));

/** Returns a token as replies show it, without its secret. */
export function showToken(token: AccessToken): Token {
  const { id, name, scopes, createdAt, expiresAt, revokedAt, lastUsedAt, ratePerMinute } = token;
  return {
    id: BigInt(id),
    name,
    scopes: [...scopes],
    createdAt: createdAt.toISOString(),
    ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
    ...(revokedAt && { revokedAt: revokedAt.toISOString() }),
    ...(lastUsedAt && { lastUsedAt: lastUsedAt.toISOString() }),
    ...(ratePerMinute && { ratePerMinute }),
  };
}

/** Returns the caller's token as replies show it, with only the members that its kind of token has. */
export function showOwnToken({ token, subject, scopes, expiresAt }: OwnAccess): OwnToken {
  return {
    ...(token ? { id: BigInt(token.id), name: token.name } : { subject }),
    scopes: [...scopes],
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
    ...(token?.ratePerMinute && { ratePerMinute: token.ratePerMinute }),
  };
}
