/**
 * The value of the `Authorization` header for an access token (RFC 6750, section 2.1).
 *
 * @throws {TypeError} when the token is empty or has characters that no bearer token has, such as a line feed or
 * quotation marks. The message never contains the token.
 */
export function formatAuthorization(token: string): string {
  if (typeof token !== 'string' || !/^[\w.~+/-]+=*$/.test(token)) {
    throw new TypeError('token must be letters, digits or -._~+/=');
  }
  return `Bearer ${token}`;
}
