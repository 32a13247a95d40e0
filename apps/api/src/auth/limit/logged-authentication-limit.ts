import type { TokenVerifier } from '../access-tokens.js';
import { type AuthenticationLimit, createAuthenticationLimit } from './authentication-limit.js';

/**
 * Limits failed authentications, and logs which addresses were limited, and how many of their requests were rejected.
 *
 * @param failuresPerMinute 0 is no limit
 */
export function createLoggedAuthenticationLimit(
  accessTokens: TokenVerifier,
  failuresPerMinute: number,
  log: { warn(fields: object, message: string): void },
): AuthenticationLimit {
  if (failuresPerMinute === 0) {
    return {
      verify: (_address, text, cached) => cached ?? accessTokens.verify(text),
      clear: () => undefined,
    };
  }
  return createAuthenticationLimit(accessTokens, {
    failuresPerMinute,
    onStart: (clientAddress, seconds) => log.warn({ clientAddress, seconds }, 'authentication limited'),
    onEnd: (clientAddress, rejected) => log.warn({ clientAddress, rejected }, 'authentication limit over'),
  });
}
