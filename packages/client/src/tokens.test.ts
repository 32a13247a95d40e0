import { describe, expect, it } from 'vitest';
import { formatAuthorization } from './tokens.js';

describe('formatAuthorization', () => {
  it.each(['pst_0aZ', 'eyJhbGciOiJFUzI1NiJ9.e30.a-b_c', 'a~b+c/d=='])('takes %s', (token) => {
    expect(formatAuthorization(token)).toBe(`Bearer ${token}`);
  });

  it.each([
    ['an empty token', ''],
    ['a line feed at the end', 'secret\n'],
    ['a header smuggled in', 'secret\r\nx-admin: 1'],
    ['a space', 'sec ret'],
    ['quotation marks', '"secret"'],
    ['a letter beyond ASCII', 'sécret'],
    ['the scheme in front', 'Bearer secret'],
  ])('rejects %s without quoting the token', (_, token) => {
    expect(() => formatAuthorization(token)).toThrow(
      expect.objectContaining({
        name: 'TypeError',
        message: 'token must be one or more letters, digits or -._~+/=',
      }),
    );
  });

  it('rejects a variable that is not set', () => {
    // Callers without types may pass it; as text it would be `undefined`, which looks like a token.
    const token: unknown = undefined;
    expect(() => formatAuthorization(token as string)).toThrow(TypeError);
  });
});
