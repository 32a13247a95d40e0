import { scopes as allScopes, type Scope } from '@plant-store/contract/access-token';
import { messages } from '@plant-store/contract/messages';
import type { IssuedToken, NewToken, Token, TokenRotation } from '@plant-store/contract/operations';
import { ServiceError, unauthorized } from '@plant-store/records';
import type { Logger } from 'pino';
import {
  type AccessToken,
  isEnded,
  successorOf,
  type TokenRequest,
  type TokenService,
  tokenRejections,
} from './token-service.js';

/** The token of a request, which may give no more than it has. */
export interface Issuer {
  /** Its id, or `subject` and that of the JSON Web Token, for the log. */
  readonly by: string;
  /** Its id, unless it is a JSON Web Token. */
  readonly id?: number | undefined;
  readonly scopes: readonly Scope[];
  /** When it is no longer accepted, in milliseconds since the epoch. */
  readonly expiresAt?: number | undefined;
  /** How many requests it may make in a minute; 0 is no limit. */
  readonly ratePerMinute: number;
  /** Whether that is its own, and not that of all tokens. */
  readonly hasOwnRate: boolean;
}

/**
 * Creates what the operations on tokens do. Each change of a token is logged, without its text.
 *
 * @param ratePerMinute what a token without a limit of its own is limited to; 0 is no limit
 */
export function createTokenManagement(
  tokens: Pick<TokenService, 'issueWithinLimit' | 'listLatest' | 'find' | 'limit' | 'revoke'>,
  ratePerMinute: number,
  log: Pick<Logger, 'info'>,
  now: () => number = Date.now,
) {
  /** @throws {ServiceError} `exceeds_issuer` */
  function requireWithin(request: TokenRequest, issuer: Issuer): void {
    const beyond = request.scopes?.find((scope) => !issuer.scopes.includes(scope));
    if (beyond !== undefined) throw exceedsIssuer(messages.scopeExceedsIssuer(beyond));
    const { expiresAt = Number.POSITIVE_INFINITY } = issuer;
    if ((request.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY) > expiresAt)
      throw exceedsIssuer(messages.expiryExceedsIssuer(new Date(expiresAt).toISOString()));
    const rate = request.ratePerMinute ?? ratePerMinute;
    if (issuer.ratePerMinute > 0 && (rate === 0 || rate > issuer.ratePerMinute))
      throw exceedsIssuer(messages.rateExceedsIssuer(issuer.ratePerMinute));
  }

  /**
   * Issues a token, unless that of the request has ended, or expires sooner, since it was verified: its look-up is cached, and its body
   * may arrive long after that. It is looked at once the new one is stored, so that who revokes one finds all that it has created.
   */
  async function issue(request: TokenRequest, issuer: Issuer) {
    requireWithin(request, issuer);
    const issued = await tokens.issueWithinLimit(request);
    if (issued === undefined) throw new ServiceError('invalid_token_request', messages.tooManyTokens);
    try {
      const own = issuer.id === undefined ? null : await tokens.find(issuer.id);
      if (own !== null) {
        if (isEnded(own, now()))
          throw unauthorized(
            'invalid_token',
            tokenRejections[own.revokedAt === null ? 'expired' : 'revoked'],
          );
        requireWithin(request, { ...issuer, expiresAt: own.expiresAt?.getTime() });
      }
      return issued;
    } catch (error) {
      await takeBack(issued.token.id);
      throw error;
    }
  }

  /** Revokes a token that nobody gets. */
  const takeBack = (id: number) => tokens.revoke(id).catch(() => undefined);

  return {
    async list(): Promise<Token[]> {
      return (await tokens.listLatest()).map(showToken);
    },

    /** @throws {ServiceError} `exceeds_issuer` */
    async create({ name, scopes, expiresAt, ratePerMinute }: NewToken, issuer: Issuer): Promise<IssuedToken> {
      const expiry = expiresAt === undefined ? issuer.expiresAt : Date.parse(expiresAt);
      const { text, token } = await issue(
        {
          name,
          scopes: allScopes.filter((scope) => scopes.includes(scope)),
          ...(expiry !== undefined && { expiresAt: new Date(expiry) }),
          ratePerMinute: ratePerMinute ?? (issuer.hasOwnRate ? issuer.ratePerMinute : null),
        },
        issuer,
      );
      logTokenChange(log, 'created', token, issuer.by);
      return { ...showToken(token), secret: text };
    },

    /** @throws {ServiceError} `token_not_found`, `token_inactive` or `exceeds_issuer` */
    async rotate(
      id: bigint,
      { overlapSeconds, expiresAt }: TokenRotation,
      issuer: Issuer,
    ): Promise<IssuedToken> {
      const old = isStorable(id) ? await tokens.find(Number(id)) : null;
      if (old === null) throw notFound(id);
      if (isEnded(old, now())) throw new ServiceError('token_inactive', messages.tokenInactive(id));
      const same = successorOf(old, now());
      const own = issuer.expiresAt ?? Number.POSITIVE_INFINITY;
      const expiry =
        expiresAt === undefined
          ? Math.min(same.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY, own)
          : Date.parse(expiresAt);
      const { text, token } = await issue(
        { ...same, ...(Number.isFinite(expiry) && { expiresAt: new Date(expiry) }) },
        issuer,
      );
      try {
        await tokens.limit(old.id, overlapSeconds * 1_000);
      } catch (error) {
        await takeBack(token.id);
        throw error;
      }
      logTokenChange(log, 'rotated', token, issuer.by, old.id);
      return { ...showToken(token), secret: text };
    },

    /** @throws {ServiceError} `token_not_found` */
    async revoke(id: bigint, by: string): Promise<void> {
      const token = isStorable(id) ? await tokens.revoke(Number(id)) : null;
      if (token === null) throw notFound(id);
      logTokenChange(log, 'revoked', token, by);
    },
  };
}

/**
 * Logs a change of a token, without its text.
 *
 * @param by who has changed it: the id of a token, `subject` and that of a JSON Web Token, or `command line`
 * @param replaces the id of the token that it was rotated from
 */
export function logTokenChange(
  log: Pick<Logger, 'info'>,
  change: 'created' | 'rotated' | 'revoked',
  { id, name, scopes }: AccessToken,
  by: string,
  replaces?: number,
): void {
  log.info({ change, by, changed: { id, name, scopes, replaces } }, 'access token changed');
}

/** Whether an id is one that the database may have. */
function isStorable(id: bigint): boolean {
  return id >= 1n && id < 2n ** 31n;
}

function exceedsIssuer(message: string): ServiceError {
  return new ServiceError('exceeds_issuer', message);
}

function notFound(id: bigint): ServiceError {
  return new ServiceError('token_not_found', messages.tokenNotFound(id));
}

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
