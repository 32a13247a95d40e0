import { expect, it } from 'vitest';
import { authenticate } from './read-request.js';

const issued = `pst_${'a'.repeat(49)}`;

it.each([`Bearer ${issued}`, `bearer   ${issued}`])('accepts an accepted token: %s', (authorization) => {
  expect(() => authenticate(new Headers({ authorization }), ['other', issued])).not.toThrow();
});

it.each([
  [undefined, 'missing_token', 'Bearer realm="plant-store"'],
  ['Basic YTpi', 'missing_token', 'Bearer realm="plant-store"'],
  [`Bearer ${issued}`, 'invalid_token', 'Bearer realm="plant-store", error="invalid_token"'],
  ['Bearer short', 'invalid_token', 'Bearer realm="plant-store", error="invalid_token"'],
])('rejects %s as %s', (authorization, errorName, challenge) => {
  const headers = new Headers(authorization === undefined ? {} : { authorization });
  expect(() => authenticate(headers, ['other'])).toThrow(
    expect.objectContaining({ errorName, headers: { 'WWW-Authenticate': challenge } }),
  );
});

it('tells a token that was mistyped from one that is unknown', () => {
  const messageOf = (token: string) => {
    try {
      authenticate(new Headers({ authorization: `Bearer ${token}` }), []);
      return '';
    } catch (error) {
      return String(error);
    }
  };
  expect(messageOf(issued)).not.toBe(messageOf(`${issued}a`));
  expect(messageOf(`${issued}a`)).toBe(messageOf('short'));
});
