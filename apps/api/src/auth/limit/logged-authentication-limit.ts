import type { AccessTokens } from '../access-tokens.js';
import { type AuthenticationLimit, createAuthenticationLimit } from './authentication-limit.js';

/** Limits failed authentications, and logs which addresses were limited, and how many of their requests were rejected. */
export function createLoggedAuthenticationLimit(
  accessTokens: Pick<AccessTokens, 'verify' | 'verifyCached'>,
  failuresPerMinute: number,
  log: { warn(fields: object, message: string): void },
): AuthenticationLimit {
  return createAuthenticationLimit(accessTokens, {
    failuresPerMinute,
    onStart: (clientAddress, seconds) => log.warn({ clientAddress, seconds }, 'authentication limited'),
    onEnd: (clientAddress, rejected) => log.warn({ clientAddress, rejected }, 'authentication limit over'),
  });
}
