import type { TokenSource } from './options.js';

/**
 * Returns the value of the `Authorization` header for one call: of its first request, or of the one after the service rejected another
 * value. The signal is aborted when the call ends before.
 */
export type Authorize = (ended: AbortSignal, rejected?: string) => Promise<string>;

/**
 * Asks the source of a token for each call. Calls that wait for a promise of the source share it, unless it began before the service
 * rejected the token of the call. Nothing is kept after that, because the next token may belong to another user.
 *
 * @throws {TypeError} when there is no token, or it is a string that is not a valid one
 */
export function createAuthorize(token: string | TokenSource | undefined): Authorize {
  if (typeof token !== 'function') {
    const authorization = formatAuthorization(token);
    return async () => authorization;
  }
  let shared: Promise<string> | undefined;
  /** The shared promise began after its rejection. */
  let replaced: string | undefined;
  return async (ended, rejected = replaced) => {
    if (rejected !== replaced) shared = undefined;
    replaced = rejected;
    const asked = shared ?? token();
    // A string is never shared, because the next call may come from another user.
    if (typeof asked !== 'string') shared = asked;
    const release = () => {
      if (shared === asked) shared = undefined;
    };
    // A source that never settles must not block later calls.
    ended.onabort = release;
    try {
      return formatAuthorization(await asked);
    } finally {
      release();
    }
  };
}

/**
 * The value of the `Authorization` header for an access token (RFC 6750, section 2.1).
 *
 * @throws {TypeError} when the token is empty or has characters that bearer tokens cannot have, such as a line feed or quotation marks. The
 * message never contains the token.
 */
export function formatAuthorization(token: string | undefined): string {
  if (typeof token !== 'string' || !/^[\w.~+/-]+=*$/.test(token))
    throw new TypeError('token must be letters, digits or -._~+/=');
  return `Bearer ${token}`;
}
