import type { Metadata } from '@plant-store/contract';
import {
  accessTokenChecksum,
  accessTokenPrefix,
  accessTokenSecretLength,
  scopes as allScopes,
  type Scope,
} from '@plant-store/contract/access-token';
import { messages } from '@plant-store/contract/messages';
import type { IssuedToken, NewToken, Token, TokenRotation } from '@plant-store/contract/operations';
import { ServiceError, toIsoTime } from '@plant-store/records';
import type { OperationName } from '../client.js';
import type { ValidRequest } from './read-request.js';
import type { Outcome } from './reply.js';

/** The access tokens of a fake plant store. */
export interface TokenState {
  /** The texts of those that it was given. All of them have the ID 1. */
  accepted: readonly [string, ...string[]];
  /** What these permit. */
  readonly scopes: readonly Scope[];
  /** Those that requests have created, by their IDs. */
  readonly issued: Map<bigint, IssuedToken>;
}

/**
 * Returns the token that a request has as `Authorization: Bearer` (RFC 6750, section 2.1).
 *
 * @throws {ServiceError} `missing_token` or `invalid_token`
 */
export function authenticate(headers: Headers, { accepted, scopes, issued }: TokenState): Token {
  const text = /^Bearer +(\S.*)$/i.exec(headers.get('authorization') ?? '')?.[1];
  if (text === undefined) throw challenge('missing_token', messages.missingToken);
  const own = [...issued.values()].find(({ secret }) => secret === text);
  if (own !== undefined && !hasEnded(own)) return own;
  if (accepted.includes(text))
    return { id: 1n, name: 'test', scopes: [...scopes], createdAt: toIsoTime(Date.now()) };
  const isIssuedForm = /^pst_[0-9A-Za-z]{49}$/.test(text);
  throw challenge('invalid_token', isIssuedForm ? messages.unknownToken : messages.malformedToken);
}

/** @throws {ServiceError} `insufficient_scope` */
export function requireScope({ scope }: Metadata, { scopes }: Token): void {
  if (scope !== undefined && !scopes.includes(scope))
    throw challenge('insufficient_scope', messages.missingScope(scope), `, scope="${scope}"`);
}

/** The challenge names an error only when a token was sent (RFC 6750, section 3.1). */
function challenge(
  errorName: 'missing_token' | 'invalid_token' | 'insufficient_scope',
  message: string,
  scope = '',
): ServiceError {
  const error = errorName === 'missing_token' ? '' : `, error="${errorName}"`;
  const headers = { 'WWW-Authenticate': `Bearer realm="plant-store"${error}${scope}` };
  return new ServiceError(errorName, message, { headers });
}

/** Answers a request of an operation on tokens. */
export function answerAboutTokens(
  name: OperationName,
  { params, body }: ValidRequest,
  state: TokenState,
  own: Token,
): Outcome {
  const { issued } = state;
  switch (name) {
    case 'getOwnToken': {
      const { id, name, scopes, expiresAt, ratePerMinute } = own;
      return { status: 200, body: { id, name, scopes, expiresAt, ratePerMinute } };
    }
    case 'listTokens': {
      const tokens = [...(issued.has(own.id) ? [] : [own]), ...issued.values()].map(
        ({ id, name, scopes, createdAt, expiresAt, revokedAt, ratePerMinute }) => ({
          ...{ id, name, scopes, createdAt, expiresAt, revokedAt, ratePerMinute },
        }),
      );
      return { status: 200, body: { tokens } };
    }
    case 'createToken':
      return { status: 200, body: issue(body, own, issued) };
    case 'rotateToken':
      return { status: 200, body: rotate(params.id, body, own, issued) };
    default:
      // Of a token that was revoked before, the time stays.
      issued.set(params.id, { revokedAt: toIsoTime(Date.now()), ...find(params.id, issued) });
      return { status: 204, body: undefined };
  }
}

type IssuedTokens = TokenState['issued'];

/** Issues a token, which permits no more than that of the request. */
function issue(
  { name, scopes, expiresAt, ratePerMinute }: NewToken,
  own: Token,
  issued: IssuedTokens,
): IssuedToken {
  const exceedsIssuer = (message: string) => new ServiceError('exceeds_issuer', message);
  const beyond = scopes.find((scope) => !own.scopes.includes(scope));
  const expiry = expiresAt ?? own.expiresAt;
  const rate = ratePerMinute ?? own.ratePerMinute;
  if (beyond !== undefined) throw exceedsIssuer(messages.scopeExceedsIssuer(beyond));
  if (own.expiresAt !== undefined && Date.parse(expiry ?? '') > Date.parse(own.expiresAt))
    throw exceedsIssuer(messages.expiryExceedsIssuer(own.expiresAt));
  if (own.ratePerMinute !== undefined && (rate ?? 0) > own.ratePerMinute)
    throw exceedsIssuer(messages.rateExceedsIssuer(own.ratePerMinute));
  const id = BigInt(issued.size + 2);
  const text = `${accessTokenPrefix}${`Fake${id}`.padEnd(accessTokenSecretLength, '0')}`;
  const token: IssuedToken = {
    ...{ id, name, scopes: allScopes.filter((scope) => scopes.includes(scope)) },
    createdAt: toIsoTime(Date.now()),
    ...(expiry !== undefined && { expiresAt: toIsoTime(Date.parse(expiry)) }),
    ...(rate !== undefined && { ratePerMinute: rate }),
    secret: `${text}${accessTokenChecksum(text)}`,
  };
  issued.set(id, token);
  return token;
}

/** Issues a token in place of another, which lasts as long as that was to last. */
function rotate(
  id: bigint,
  { overlapSeconds, expiresAt }: TokenRotation,
  own: Token,
  issued: IssuedTokens,
): IssuedToken {
  const old = find(id, issued);
  if (hasEnded(old)) throw new ServiceError('token_inactive', messages.tokenInactive(id));
  const sameMs = Date.parse(old.expiresAt ?? '') - Date.parse(old.createdAt) + Date.now();
  const endsMs = [sameMs, Date.parse(own.expiresAt ?? '')].filter((ms) => !Number.isNaN(ms));
  const expiry = endsMs.length > 0 ? toIsoTime(Math.min(...endsMs)) : undefined;
  const token = issue({ ...old, expiresAt: expiresAt ?? expiry }, own, issued);
  const end = toIsoTime(Date.now() + overlapSeconds * 1_000);
  if (overlapSeconds === 0) issued.set(id, { ...old, revokedAt: end });
  else if (old.expiresAt === undefined || old.expiresAt > end) issued.set(id, { ...old, expiresAt: end });
  return token;
}

/** @throws {ServiceError} `token_not_found` */
function find(id: bigint, issued: IssuedTokens): IssuedToken {
  const token = issued.get(id);
  if (token === undefined) throw new ServiceError('token_not_found', messages.tokenNotFound(id));
  return token;
}

/** Whether a token is not valid any more. */
const hasEnded = ({ revokedAt, expiresAt }: Token) =>
  revokedAt !== undefined || (expiresAt !== undefined && Date.parse(expiresAt) <= Date.now());
