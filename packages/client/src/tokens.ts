import type { TokenSource } from './options.js';

/** The access token of a client or of a call, as values of the `Authorization` header. */
export interface Tokens {
  /** The one to use now, once the source has returned it. */
  known?: string | undefined;
  /** The one to use now. */
  get(): Promise<string>;
  /** The one to use after a request was rejected with another; the same one when the source has no other. */
  renew(rejected: string): Promise<string>;
}

/**
 * Keeps the token that its source returns, and calls the source again only when that token is rejected. Concurrent
 * callers share one call of the source.
 *
 * @throws {TypeError} when the token is a string that is not a valid token
 */
export function createTokens(token: string | TokenSource): Tokens {
  let current: Promise<string> | undefined;
  const requestToken = () => {
    const request = (async () => formatAuthorization(typeof token === 'function' ? await token() : token))();
    current = request;
    tokens.known = undefined;
    request.then(
      (value) => {
        if (current === request) tokens.known = value;
      },
      () => {
        // After a failure, the next caller calls the source again.
        if (current === request) current = undefined;
      },
    );
    return request;
  };
  const get = () => current ?? requestToken();
  const tokens: Tokens = {
    known: typeof token === 'function' ? undefined : formatAuthorization(token),
    get,
    async renew(rejected) {
      const request = get();
      // Of the callers that were rejected with the same token, the first one calls the source.
      return (await request) === rejected && current === request ? requestToken() : get();
    },
  };
  return tokens;
}

/**
 * The value of the `Authorization` header for an access token (RFC 6750, section 2.1).
 *
 * @throws {TypeError} when the token is empty or has characters that no bearer token has, such as a line feed or
 * quotation marks. The message never contains the token.
 */
export function formatAuthorization(token: string): string {
  if (typeof token !== 'string' || !/^[\w.~+/-]+=*$/.test(token)) {
    throw new TypeError('token must be one or more letters, digits or -._~+/=');
  }
  return `Bearer ${token}`;
}
