import type { Scope } from '@plant-store/contract/access-token';
import { messageOf, OperatorError } from '../errors/operator-error.js';
import type { AccessToken, AccessTokenStore } from './access-token-store.js';
import { createTokenService, type TokenRequest, type TokenService } from './token-service.js';

/** Which token to replace, and how. */
export interface RotationRequest {
  readonly id: number;
  /** How long the old token stays valid, in milliseconds, but never longer than it would; 0 revokes it. */
  readonly overlapMs: number;
  /**
   * When the new token expires, `null` for never. By default it is valid as long as the old one was issued for: from its
   * creation to its expiry.
   */
  readonly expiresAt?: Date | null;
  /** What the new token permits. Default: what the old one does. */
  readonly scopes?: readonly Scope[];
}

/** The result of a rotation. In each case but `rotated` the old token is as it was. */
type RotationResult =
  | { readonly status: 'unknown' }
  | { readonly status: 'revoked' | 'expired'; readonly old: AccessToken }
  | { readonly status: 'rotated'; readonly old: AccessToken; readonly replacement: AccessToken }
  /** The new token was delivered, and then the database failed, so the old one does not expire earlier. */
  | { readonly status: 'issued'; readonly replacement: AccessToken; readonly error: unknown };

/** The last millisecond whose year has four digits, as `token import` expects (RFC 3339). */
const latestExpiry = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Replaces an access token: issues one of the same name, delivers its text, and only then limits the old one. At every moment
 * one of them works that somebody has, whatever fails or ends the process. A transaction of both could not promise that: it
 * would have to be committed before the delivery, which may fail, or kept open during it, which holds up all writes.
 *
 * @param now returns the time in milliseconds since the epoch
 * @throws {OperatorError} when the new token could not be delivered; it is revoked, and the old one is as it was
 */
export async function rotateAccessToken(
  store: Pick<AccessTokenStore, 'add' | 'findByHash' | 'list' | 'revoke' | 'expire'>,
  { id, overlapMs, expiresAt, scopes }: RotationRequest,
  deliver: DeliverToken,
  now: () => number = Date.now,
): Promise<RotationResult> {
  const old = (await store.list()).find((token) => token.id === id);
  if (old === undefined) return { status: 'unknown' };
  if (old.revokedAt !== null) return { status: 'revoked', old };
  if (old.expiresAt !== null && old.expiresAt.getTime() <= now()) return { status: 'expired', old };

  const expiry = expiresAt === undefined ? sameLifetime(old, now()) : expiresAt;
  const request = { name: old.name, scopes: scopes ?? old.scopes, ...(expiry && { expiresAt: expiry }) };
  const replacement = await issueAndDeliver(createTokenService(store, now), request, deliver);
  try {
    const at = new Date(now() + overlapMs);
    const limited = await (overlapMs === 0 ? store.revoke(id, at) : store.expire(id, at));
    return { status: 'rotated', old: limited ?? old, replacement };
  } catch (error) {
    return { status: 'issued', replacement, error };
  }
}

function sameLifetime({ createdAt, expiresAt }: AccessToken, now: number): Date | null {
  if (expiresAt === null) return null;
  return new Date(Math.min(now + expiresAt.getTime() - createdAt.getTime(), latestExpiry));
}

/** Hands the text of a new token over, such as to standard output; rejects when it could not. */
type DeliverToken = (text: string) => Promise<void>;

/**
 * Issues an access token and delivers its text. One that could not be delivered is revoked: nobody has it.
 *
 * @throws {OperatorError} when it could not be delivered
 */
export async function issueAndDeliver(
  accessTokens: Pick<TokenService, 'issue' | 'revoke'>,
  request: TokenRequest,
  deliver: DeliverToken,
): Promise<AccessToken> {
  const { text, token } = await accessTokens.issue(request);
  try {
    await deliver(text);
  } catch (cause) {
    const isRevoked = await accessTokens.revoke(token.id).then(
      () => true,
      () => false,
    );
    const next = isRevoked
      ? 'It is revoked, and nothing else was changed.'
      : `Nothing else was changed. Revoke it with: plant-store token revoke ${token.id}`;
    throw new OperatorError(`The new token ${token.id} could not be printed: ${messageOf(cause)}\n${next}`, {
      cause,
    });
  }
  return token;
}
