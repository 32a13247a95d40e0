import { expect, it } from 'vitest';
import { assessTokens, type StoredToken } from './access-tokens.js';

const now = Date.parse('2026-01-01T00:00:00Z');
const context = { now: () => now, acceptsJwts: false };
const inDays = (days: number): StoredToken => ({
  name: `in ${days} days`,
  expiresAt: new Date(now + days * 24 * 60 * 60 * 1000),
});
const forever: StoredToken = { name: 'forever', expiresAt: null };

it('warns when no token is valid', () => {
  expect(assessTokens([], context)).toMatchObject({ status: 'warning' });
  expect(assessTokens([inDays(-1)], context)).toMatchObject({
    status: 'warning',
    found: expect.stringContaining('none that is valid'),
  });
});

it('does not warn of that where JSON Web Tokens are accepted', () => {
  expect(assessTokens([], { ...context, acceptsJwts: true })).toMatchObject({ status: 'ok' });
});

it('names the tokens that expire within 7 days', () => {
  expect(assessTokens([forever, inDays(8), inDays(-1)], context)).toEqual({ status: 'ok', found: '2 valid' });
  expect(assessTokens([forever, inDays(8), inDays(6)], context)).toMatchObject({
    status: 'warning',
    found: '3 valid, of which "in 6 days" expires 2026-01-07T00:00:00.000Z',
  });
});

it('names ten of many tokens', () => {
  const { found } = assessTokens(
    Array.from({ length: 12 }, () => inDays(1)),
    context,
  );
  expect(found.match(/expires/g)).toHaveLength(10);
  expect(found).toContain(', and 2 more soon');
});
