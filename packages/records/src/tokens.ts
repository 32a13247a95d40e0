import { scopes as allScopes, type Scope } from '@plant-store/contract/access-token';
import { MAX_TOKENS, messages } from '@plant-store/contract/messages';
import type { IssuedToken, NewToken, OwnToken, Token, TokenRotation } from '@plant-store/contract/operations';
import { type Actor, type Audit, type Deed, describeToken, type NumberedDeed, nameActor } from './audit.js';
import { ServiceError } from './errors.js';
import { unauthorized } from './requests.js';

/** An access token as it is stored, without its text. */
export interface AccessToken {
  readonly id: number;
  readonly name: string;
  /** What it permits. */
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** When it was last used, stored at most once an hour; `null` if it never was, or not since version 1.1. */
  readonly lastUsedAt: Date | null;
  /** How many requests it may make per minute; `null` for the setting of the service. */
  readonly ratePerMinute?: number | null;
}

/** The properties of an access token to issue. */
export interface TokenRequest {
  readonly name: string;
  /** What it permits. Default: `defaultScopes`. */
  readonly scopes?: readonly Scope[];
  /** Default: never. */
  readonly expiresAt?: Date;
  /** How many requests it may make per minute. Default: the setting of the service. */
  readonly ratePerMinute?: number | null;
}

/** A token with its text, which is returned only when it is issued. */
export interface IssuedAccessToken {
  readonly text: string;
  readonly token: AccessToken;
}

/** Who issues a token, and which token it replaces. */
export interface Issue {
  readonly by: Actor;
  /** The token that it replaces, and how long the old token may still work, in milliseconds; 0 revokes it. */
  readonly replaces?: { readonly id: number; readonly afterMs: number } | undefined;
  /**
   * Called before anything is stored, with the current state of the issuer's token and of the token to replace. If it throws, nothing is
   * stored.
   */
  check(own: AccessToken | null, old: AccessToken | null): void;
}

/** The access tokens that the token operations work with. Each change is audited in the same transaction. */
export interface Tokens {
  /**
   * Issues a token, unless `MAX_TOKENS` are valid; then returns `undefined`. It is atomic: no token changes between the check of the issuer
   * and the end.
   */
  issueWithinLimit(request: TokenRequest, issue: Issue): Promise<IssuedAccessToken | undefined>;
  /** All valid tokens, and the latest `MAX_TOKENS` that have ended, in the order of their ids. */
  listLatest(): Promise<readonly AccessToken[]>;
  /** `null` when there is no such id. */
  find(id: number): Promise<AccessToken | null>;
  /** Revokes a token: immediately in this process, within 3 seconds in any other. `null` when there is no such id. */
  revoke(id: number, by: Actor): Promise<AccessToken | null>;
}

/** What happened to a token. */
export type TokenChange = 'created' | 'rotated' | 'revoked';

/** Why an access token of this service is not valid, with the message of the reply. */
export const ownTokenRejections = {
  malformed: messages.malformedToken,
  unknown: messages.unknownToken,
  expired: 'The access token has expired. Get a new one.',
  revoked: 'The access token was revoked. Ask the operator for a new one.',
};

/** Whether a token is no longer valid. */
export function isEnded({ revokedAt, expiresAt }: AccessToken, now: number): boolean {
  return revokedAt !== null || (expiresAt !== null && expiresAt.getTime() <= now);
}

/** The last millisecond whose year has four digits, as `token import` expects (RFC 3339). */
const latestExpiry = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * The request for a token that replaces another one, with the same properties.
 *
 * @param now the time in milliseconds since the epoch. The new token has the same lifetime as the old one
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

/** The token of a request: one of this service, or a JSON Web Token. It may not grant more than it has. */
export interface OwnAccess {
  readonly by: Actor;
  readonly token?: AccessToken | undefined;
  /** The subject of a JSON Web Token. */
  readonly subject?: string | undefined;
  readonly scopes: readonly Scope[];
  /** When it is no longer accepted, in milliseconds since the epoch. */
  readonly expiresAt?: number | undefined;
}

/**
 * Creates the token operations.
 *
 * @param ratePerMinute the limit of a token without its own limit; 0 is no limit
 * @param onChange called after each change of a token, with who made it, and the id of the token that a new one replaces
 */
export function createTokenManagement(
  tokens: Tokens,
  ratePerMinute: number,
  onChange: (change: TokenChange, token: AccessToken, by: string, replaces?: number) => void,
  now: () => number = Date.now,
) {
  /** @throws {ServiceError} `exceeds_issuer` */
  function requireWithin(request: TokenRequest, issuer: OwnAccess): void {
    const beyond = request.scopes?.find((scope) => !issuer.scopes.includes(scope));
    if (beyond !== undefined) throw exceedsIssuer(messages.scopeExceedsIssuer(beyond));
    const { expiresAt = Number.POSITIVE_INFINITY } = issuer;
    if ((request.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY) > expiresAt)
      throw exceedsIssuer(messages.expiryExceedsIssuer(new Date(expiresAt).toISOString()));
    const rate = request.ratePerMinute ?? ratePerMinute;
    const own = issuer.token?.ratePerMinute ?? ratePerMinute;
    if (own > 0 && (rate === 0 || rate > own)) throw exceedsIssuer(messages.rateExceedsIssuer(own));
  }

  /**
   * Issues a token, unless the token of the request has ended, or now expires earlier, since it was verified: look-ups are cached, and the
   * body may arrive long after. The check is in the same transaction as the insert, so that after a revocation no more tokens are created
   * with the revoked one.
   */
  async function issue(request: TokenRequest, issuer: OwnAccess, replaces?: Issue['replaces']) {
    requireWithin(request, issuer);
    const issued = await tokens.issueWithinLimit(request, {
      by: issuer.by,
      replaces,
      check(own, old) {
        if (own !== null) {
          if (isEnded(own, now()))
            throw unauthorized(
              'invalid_token',
              ownTokenRejections[own.revokedAt === null ? 'expired' : 'revoked'],
            );
          requireWithin(request, { ...issuer, expiresAt: own.expiresAt?.getTime() });
        }
        if (old !== null) requireActive(old);
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
      const { text, token } = await issue(
        {
          name,
          scopes: allScopes.filter((scope) => scopes.includes(scope)),
          ...(expiry !== undefined && { expiresAt: new Date(expiry) }),
          ratePerMinute: ratePerMinute ?? (issuer.token?.ratePerMinute || null),
        },
        issuer,
      );
      onChange('created', token, nameActor(issuer.by));
      return { ...showToken(token), secret: text };
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
      const same = successorOf(old, now());
      const own = issuer.expiresAt ?? Number.POSITIVE_INFINITY;
      const expiry =
        expiresAt === undefined
          ? Math.min(same.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY, own)
          : Date.parse(expiresAt);
      const { text, token } = await issue(
        { ...same, ...(Number.isFinite(expiry) && { expiresAt: new Date(expiry) }) },
        issuer,
        { id: old.id, afterMs: overlapSeconds * 1_000 },
      );
      onChange('rotated', token, nameActor(issuer.by), old.id);
      return { ...showToken(token), secret: text };
    },

    /** @throws {ServiceError} `token_not_found` */
    async revoke(id: bigint, by: Actor): Promise<void> {
      const token = isStorable(id) ? await tokens.revoke(Number(id), by) : null;
      if (token === null) throw notFound(id);
      onChange('revoked', token, nameActor(by));
    },
  };
}

/** Whether the database can have this id. */
const isStorable = (id: bigint) => id >= 1n && id < 2n ** 31n;

const exceedsIssuer = (message: string) => new ServiceError('exceeds_issuer', message);

const notFound = (id: bigint) => new ServiceError('token_not_found', messages.tokenNotFound(id));

/** A token as replies show it, without its text. */
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

/** The token of a request as replies show it. Has only the members of its kind. */
export function showOwnToken({ token, subject, scopes, expiresAt }: OwnAccess): OwnToken {
  return {
    ...(token ? { id: BigInt(token.id), name: token.name } : { subject }),
    scopes: [...scopes],
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
    ...(token?.ratePerMinute && { ratePerMinute: token.ratePerMinute }),
  };
}

/** Access tokens in memory, their texts, and the audit of their changes. */
export interface MemoryTokens extends Tokens {
  /** The texts of the token with the id 1. */
  accepted: readonly [string, ...string[]];
  readonly audit: Audit;
  /** The token with a text. */
  findByText(text: string): AccessToken | undefined;
  /** Removes all tokens but the first one, and the audit. */
  clear(): void;
}

/**
 * Creates access tokens in memory.
 *
 * @param first the properties of the token with the id 1
 * @param textOf the text of another token by its id
 */
export function createMemoryTokens(
  first: TokenRequest,
  accepted: MemoryTokens['accepted'],
  textOf: (id: number) => string,
  now: () => number,
): MemoryTokens {
  const all = new Map<number, AccessToken & { readonly text: string }>();
  const deeds: NumberedDeed[] = [];
  function add({ name, scopes = [], expiresAt, ratePerMinute = null }: TokenRequest) {
    const id = all.size + 1;
    const text = textOf(id);
    const created = { createdAt: new Date(now()), revokedAt: null, lastUsedAt: null };
    const token = { id, name, scopes, ...created, expiresAt: expiresAt ?? null, ratePerMinute };
    all.set(id, { ...token, text });
    return { text, token };
  }
  add(first);
  const change = (id: number, members: Partial<AccessToken>) => {
    const token = all.get(id);
    if (token === undefined) return null;
    const changed = { ...token, ...members };
    all.set(id, changed);
    return changed;
  };
  const record = (deed: Omit<Deed, 'at'>) => deeds.unshift({ ...deed, number: deeds.length + 1, at: now() });
  const end = (id: number) => change(id, { revokedAt: all.get(id)?.revokedAt ?? new Date(now()) });
  const tokens: MemoryTokens = {
    accepted,
    audit: {
      list: async ({ before = Number.POSITIVE_INFINITY, action, limit }) =>
        deeds
          .filter((deed) => deed.number < before && (action === undefined || deed.action === action))
          .slice(0, limit),
    },
    findByText(text) {
      if (tokens.accepted.includes(text)) return all.get(1);
      return [...all.values()].find((token) => token.id !== 1 && token.text === text);
    },
    clear() {
      for (const id of [...all.keys()].slice(1)) all.delete(id);
      deeds.length = 0;
    },
    async issueWithinLimit(request, { by, replaces, check }) {
      const old = all.get(replaces?.id ?? 0) ?? null;
      check(by.id === undefined ? null : (all.get(by.id) ?? null), old);
      const valid = [...all.values()].filter((token) => !isEnded(token, now()));
      if (valid.length >= MAX_TOKENS) return undefined;
      const issued = add(request);
      const token = describeToken(issued.token);
      if (old === null || replaces === undefined) {
        record({ by, action: 'token_created', about: { token } });
        return issued;
      }
      const at = new Date(now() + replaces.afterMs);
      if (replaces.afterMs === 0) end(old.id);
      else if (old.expiresAt === null || old.expiresAt > at) change(old.id, { expiresAt: at });
      record({ by, action: 'token_rotated', about: { token, replaced: { id: old.id, name: old.name } } });
      return issued;
    },
    listLatest: async () => [...all.values()],
    find: async (id) => all.get(id) ?? null,
    async revoke(id, by) {
      const wasRevoked = all.get(id)?.revokedAt !== null;
      const token = end(id);
      if (token !== null && !wasRevoked)
        record({ by, action: 'token_revoked', about: { token: describeToken(token) } });
      return token;
    },
  };
  return tokens;
}
