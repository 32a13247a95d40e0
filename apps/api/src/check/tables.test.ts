import { expect, it } from 'vitest';
import { assessTokens, type StoredToken } from './tables.js';

const now = Date.parse('2026-01-01T00:00:00Z');
const context = { now: () => now, acceptsJwts: false };
const inDays = (days: number, name = `in ${days} days`): StoredToken => ({
  id: 12,
  name,
  expiresAt: new Date(now + days * 24 * 60 * 60 * 1000),
});
const forever: StoredToken = { id: 1, name: 'forever', expiresAt: null };

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
    found: '3 valid, of which "in 6 days" (12) expires 2026-01-07T00:00:00.000Z',
    advice: 'Replace it: plant-store token rotate 12',
  });
});

it('does not warn of a token that was rotated, unless its successor expires soon, too', () => {
  const [old, next] = [inDays(1, 'shop'), inDays(300, 'shop')];
  expect(assessTokens([old, next], context)).toEqual({ status: 'ok', found: '2 valid' });
  expect(assessTokens([old, inDays(300, 'other')], context)).toMatchObject({ status: 'warning' });
  expect(assessTokens([old, inDays(2, 'shop')], context)).toMatchObject({
    status: 'warning',
    advice: 'Replace each: plant-store token rotate ID',
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
