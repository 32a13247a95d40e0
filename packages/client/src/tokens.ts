import type { TokenSource } from './options.js';

/** The access token of a client or of a call, as values of the `Authorization` header. */
export interface Tokens {
  /** The one to use now. */
  get(): Promise<string>;
  /** The one to use after a request was rejected with another; the same one when the source has no other. */
  renew(rejected: string): Promise<string>;
}

/**
 * Keeps the token that its source returns, and calls the source again only when that token is rejected. Concurrent
 * callers share one call of the source.
 *
 * @throws {TypeError} when there is no token, or it is a string that is not a valid one
 */
export function createTokens(token: string | TokenSource | undefined): Tokens {
  if (typeof token !== 'function') {
    const authorization = formatAuthorization(token);
    const get = async () => authorization;
    return { get, renew: get };
  }
  /** A promise while the source is called. */
  let current: string | Promise<string> | undefined;
  const request = () => {
    const requested = (async () => formatAuthorization(await token()))();
    const keep = (authorization?: string) => {
      if (current === requested) current = authorization;
    };
    // After a failure, the next caller calls the source again.
    requested.then(keep, () => keep());
    current = requested;
    return requested;
  };
  const get = async () => current ?? request();
  return {
    get,
    // Of the callers that were rejected with the same token, the first one calls the source.
    renew: async (rejected) => (current === rejected ? request() : get()),
  };
}

/**
 * The value of the `Authorization` header for an access token (RFC 6750, section 2.1).
 *
 * @throws {TypeError} when the token is empty or has characters that no bearer token has, such as a line feed or
 * quotation marks. The message never contains the token.
 */
export function formatAuthorization(token: string | undefined): string {
  if (typeof token !== 'string' || !/^[\w.~+/-]+=*$/.test(token)) {
    const problem = token === '' ? 'is empty' : 'must be letters, digits or -._~+/=';
    throw new TypeError(`token ${problem}`);
  }
  return `Bearer ${token}`;
}
