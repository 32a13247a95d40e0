import { messages } from '@plant-store/contract/messages';
import { ServiceError } from '../service-error.js';

/**
 * Checks that a request brings one of the accepted tokens as `Authorization: Bearer` (RFC 6750, section 2.1).
 *
 * @throws {ServiceError} `missing_token` or `invalid_token`
 */
export function authenticate(headers: Headers, accepted: readonly string[]): void {
  const token = /^Bearer +(\S.*)$/i.exec(headers.get('authorization') ?? '')?.[1];
  if (token === undefined) {
    throw unauthorized('missing_token', messages.missingToken);
  }
  if (accepted.includes(token)) return;
  throw unauthorized(
    'invalid_token',
    issuedForm.test(token) ? messages.unknownToken : messages.malformedToken,
  );
}

const issuedForm = /^pst_[0-9A-Za-z]{49}$/;

/** The challenge names an error only when a token was sent (RFC 6750, section 3.1). */
function unauthorized(errorName: 'missing_token' | 'invalid_token', message: string): ServiceError {
  const error = errorName === 'invalid_token' ? ', error="invalid_token"' : '';
  return new ServiceError(errorName, message, { 'WWW-Authenticate': `Bearer realm="plant-store"${error}` });
}
