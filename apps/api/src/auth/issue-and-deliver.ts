import { messageOf } from '../errors/message-of.js';
import { OperatorError } from '../errors/operator-error.js';
import type { AccessToken } from './access-token-store.js';
import type { AccessTokens } from './access-tokens.js';

/** Hands the text of a new token over, such as to standard output; rejects when it could not. */
export type DeliverToken = (text: string) => Promise<void>;

/**
 * Issues an access token and delivers its text. One that could not be delivered is revoked: nobody has it.
 *
 * @throws {OperatorError} when it could not be delivered
 */
export async function issueAndDeliver(
  accessTokens: Pick<AccessTokens, 'issue' | 'revoke'>,
  request: Parameters<AccessTokens['issue']>[0],
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
