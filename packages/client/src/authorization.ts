import type { TokenSource } from './options.js';

/**
 * Returns the value of the `Authorization` header for the first request of a call, or, once the service has rejected a value, for the next
 * request. The signal is aborted if the call ends first.
 */
export type Authorize = (ended: AbortSignal, rejected?: string) => Promise<string>;

/**
 * Returns a function that gets the token from its source for each call. Calls that wait for a promise of the source share it, unless the
 * promise began before the service rejected the token of the call. The token is not cached after that, because the next token may belong to
 * another user.
 *
 * @throws {TypeError} when there is no token, or the token is a string that is not valid
 */
export function createAuthorize(token: string | TokenSource | undefined): Authorize {
  if (typeof token !== 'function') {
    const authorization = formatAuthorization(token);
    return async () => authorization;
  }
  let shared: Promise<string> | undefined;
  /** The latest rejected value. The shared promise began after its rejection. */
  let lastRejected: string | undefined;
  return async (ended, rejected = lastRejected) => {
    if (rejected !== lastRejected) shared = undefined;
    lastRejected = rejected;
    const current = shared ?? token();
    // A string is never shared, because the next call may come from another user.
    if (typeof current !== 'string') shared = current;
    const release = () => {
      if (shared === current) shared = undefined;
    };
    // A source that never settles must not block later calls.
    ended.onabort = release;
    try {
      return formatAuthorization(await current);
    } finally {
      release();
    }
  };
}

/**
 * Returns the value of the `Authorization` header for an access token (RFC 6750, section 2.1).
 *
 * @throws {TypeError} when the token is empty or has characters that bearer tokens cannot have, such as a line feed or quotation marks. The
 * message never contains the token.
 */
export function formatAuthorization(token: string | undefined): string {
  if (typeof token !== 'string' || !/^[\w.~+/-]+=*$/.test(token))
    throw new TypeError('token must be letters, digits, or -._~+/=');
  return `Bearer ${token}`;
}
