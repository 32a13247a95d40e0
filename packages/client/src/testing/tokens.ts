import {
  accessTokenChecksum,
  accessTokenPrefix,
  accessTokenSecretLength,
  scopes as allScopes,
  type Scope,
} from '@plant-store/contract/access-token';
import { messages } from '@plant-store/contract/messages';
import type { IssuedToken, NewToken, Token, TokenRotation } from '@plant-store/contract/operations';
import { readBearer, ServiceError, toIsoTime, unauthorized } from '@plant-store/records';
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
  const text = readBearer(headers.get('authorization') ?? '');
  if (text === undefined) throw unauthorized('missing_token', messages.missingToken);
  const own = [...issued.values()].find(({ secret }) => secret === text);
  if (own !== undefined && !hasEnded(own)) return own;
  if (accepted.includes(text))
    return { id: 1n, name: 'test', scopes: [...scopes], createdAt: toIsoTime(Date.now()) };
  const isIssuedForm = /^pst_[0-9A-Za-z]{49}$/.test(text);
  throw unauthorized('invalid_token', isIssuedForm ? messages.unknownToken : messages.malformedToken);
}

/** How each operation on tokens answers a valid request. */
export const tokenHandlers: Readonly<Record<TokenOperation, TokenHandler>> = {
  getOwnToken: (_request, _state, { id, name, scopes, expiresAt, ratePerMinute }) =>
    ok({ id, name, scopes, expiresAt, ratePerMinute }),
  listTokens: (_request, { issued }, own) =>
    ok({ tokens: [...(issued.has(own.id) ? [] : [own]), ...issued.values()].map(showToken) }),
  createToken: ({ body }, { issued }, own) => ok(issue(body, own, issued)),
  rotateToken: ({ params: { id }, body }, { issued }, own) => ok(rotate(id, body, own, issued)),
  revokeToken({ params: { id } }, { issued }) {
    // Of a token that was revoked before, the time stays.
    issued.set(id, { revokedAt: toIsoTime(Date.now()), ...find(id, issued) });
    return { status: 204, body: undefined };
  },
};

type TokenOperation = 'getOwnToken' | 'listTokens' | 'createToken' | 'rotateToken' | 'revokeToken';
type TokenHandler = (
  request: { readonly params: { readonly id: bigint }; readonly body: never },
  state: TokenState,
  own: Token,
) => Outcome;
type IssuedTokens = TokenState['issued'];

const ok = (body: object): Outcome => ({ status: 200, body });

/** A token without its text. */
const showToken = ({ id, name, scopes, createdAt, expiresAt, revokedAt, ratePerMinute }: Token) => ({
  ...{ id, name, scopes, createdAt, expiresAt, revokedAt, ratePerMinute },
});

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
