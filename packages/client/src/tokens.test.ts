import { expect, it } from 'vitest';
import { formatAuthorization } from './tokens.js';

it.each(['pst_0aZ', 'eyJhbGciOiJFUzI1NiJ9.e30.a-b_c', 'a~b+c/d=='])('takes %s', (token) => {
  expect(formatAuthorization(token)).toBe(`Bearer ${token}`);
});

it.each([
  ...['', 'secret\n', 'secret\r\nx-admin: 1', 'sec ret', '"secret"', 'sécret', 'Bearer secret'],
  // A variable that is not set, from a caller without types: as text it would look like a token.
  undefined as unknown as string,
])('rejects %j without quoting it', (token) => {
  const error = new TypeError('token must be one or more letters, digits or -._~+/=');
  expect(() => formatAuthorization(token)).toThrow(error);
});
