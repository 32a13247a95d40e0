import { expect, it } from 'vitest';
import { formatAuthorization } from './tokens.js';

it.each(['pst_0aZ', 'eyJhbGciOiJFUzI1NiJ9.e30.a-b_c', 'a~b+c/d=='])('takes %s', (token) => {
  expect(formatAuthorization(token)).toBe(`Bearer ${token}`);
});

const invalid = 'must be letters, digits or -._~+/=';

it.each<[unknown, string]>([
  ['', 'is empty'],
  ['secret\n', invalid],
  ['secret\r\nx-admin: 1', invalid],
  ['Bearer secret', invalid],
  ['"secret"', invalid],
  ['sécret', invalid],
  ['pst_…', invalid],
  ['sec=ret', invalid],
  // A variable that is not set, from a caller without types: as text it would look like a token.
  [undefined, invalid],
])('rejects %j without quoting it', (token, problem) => {
  expect(() => formatAuthorization(token as string)).toThrow(new TypeError(`token ${problem}`));
});
