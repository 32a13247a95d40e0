import { expect, it } from 'vitest';
import { assessTokens, type StoredToken } from './tables.js';

const now = Date.parse('2026-01-01T00:00:00Z');
const context = { now: () => now, acceptsJwts: false, servesPage: true };
const inDays = (days: number, name = `in ${days} days`): StoredToken => ({
  id: 12,
  name,
  scopes: 'create,read',
  expiresAt: new Date(now + days * 24 * 60 * 60 * 1000),
});
const forever: StoredToken = { id: 1, name: 'forever', scopes: 'create,read', expiresAt: null };
const old = inDays(1, 'shop');

it.each([
  ['there is none', [], 'warning', 'no access token is valid'],
  ['none is valid', [inDays(-1)], 'warning', 'no access token is valid'],
  ['two are valid', [forever, inDays(8), inDays(-1)], 'ok', '2 valid'],
  [
    'one expires within 7 days',
    [forever, inDays(8), inDays(6)],
    'warning',
    '3 valid; "in 6 days" (12) expires 2026-01-07T00:00:00.000Z',
    'Replace it: plant-store token rotate 12',
  ],
  ['one was rotated', [old, inDays(300, 'shop')], 'ok', '2 valid'],
  ['another has another name', [old, inDays(300, 'other')], 'warning', '2 valid; "'],
  [
    'its successor expires soon, too',
    [old, inDays(2, 'shop')],
    'warning',
    '2 valid; "',
    'Replace each: plant-store token rotate ID',
  ],
] as const)('assesses tokens where %s: %j', (_, tokens, status, found, advice?: string) => {
  const finding = assessTokens(tokens, context);
  expect(finding).toMatchObject({ status, found: expect.stringContaining(found) });
  if (advice !== undefined) expect(finding).toHaveProperty('advice', advice);
});

it('does not warn about missing tokens if JSON Web Tokens are accepted', () => {
  expect(assessTokens([], { ...context, acceptsJwts: true })).toMatchObject({ status: 'ok' });
});

it('warns if the page is served and all tokens may only create', () => {
  const creating = { ...forever, scopes: 'create' };
  const all = expect.stringMatching(/^2 valid, but all can only create/);
  const tokens = [creating, creating];
  expect(assessTokens(tokens, context)).toMatchObject({ status: 'warning', found: all });
  expect(assessTokens([...tokens, { ...inDays(-1) }], context)).toMatchObject({
    status: 'warning',
    found: all,
  });
  const some = { status: 'ok', found: '3 valid; 2 may only create' };
  expect(assessTokens([...tokens, forever], context)).toEqual(some);
  for (const other of [{ servesPage: false }, { acceptsJwts: true }])
    expect(assessTokens(tokens, { ...context, ...other })).toMatchObject({ status: 'ok' });
});

it('names only ten of many tokens', () => {
  const { found } = assessTokens(Array(12).fill(old), context);
  expect(found.match(/expires/g)).toHaveLength(10);
  expect(found).toContain(', and 2 more soon');
});
