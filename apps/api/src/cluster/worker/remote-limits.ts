import type { AccessTokens } from '../../auth/access-tokens.js';
import type { SharedLimits } from '../../http/shared-limits.js';
import type { PrimaryCalls } from '../calls.js';
import type { Channel } from '../channel/create-channel.js';

/**
 * The limits as the primary process counts them for all workers.
 *
 * @param accessTokens what verifies tokens in this process; a token that the primary process has found valid is cached there
 */
export function createRemoteLimits(
  primary: Channel<PrimaryCalls>,
  accessTokens: Pick<AccessTokens, 'verify'>,
): SharedLimits {
  return {
    authentication: {
      async verify(address, text, cached) {
        const verification = await primary.call('verifyWithinLimit', { address, text, cached });
        // From now on its requests need no call.
        if (verification.status === 'valid') await remember(accessTokens, text);
        return verification;
      },
      clear: () => undefined,
    },
    requestCounts: {
      increment: (caller) => primary.call('countRequest', caller),
      // Each request counts, whatever its reply.
      decrement: () => undefined,
      resetKey: () => undefined,
    },
  };
}

/** Verifies a valid token in this process, which caches it. Without that its next request is verified elsewhere again. */
async function remember(accessTokens: Pick<AccessTokens, 'verify'>, text: string): Promise<void> {
  try {
    await accessTokens.verify(text);
  } catch {
    // The token is known to be valid.
  }
}
