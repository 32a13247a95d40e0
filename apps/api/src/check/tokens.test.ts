import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { assessTokens, type StoredToken } from './tokens.js';

const now = Date.parse('2026-01-01T00:00:00Z');
beforeEach(() => void vi.useFakeTimers({ now, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const context = { acceptsJwts: false, servesPage: true };
const inDays = (days: number, name = `in ${days} days`): StoredToken => ({
  id: 12,
  name,
  scopes: 'create,read',
  expiresAt: new Date(now + days * 24 * 60 * 60 * 1000),
});
const forever: StoredToken = { id: 1, name: 'forever', scopes: 'create,read', expiresAt: null };
const creating = { ...forever, scopes: 'create' };
const old = inDays(1, 'shop');

it.each([
  ['none is valid', [inDays(-1)], 'warning', 'no access token is valid'],
  [
    'one expires within 7 days',
    [forever, inDays(8), inDays(6)],
    'warning',
    '3 valid; "in 6 days" (12) expires 2026-01-07T00:00:00.000Z',
    'Rotate it: plant-store token rotate 12',
  ],
  ['one was rotated', [old, inDays(300, 'shop')], 'ok', '2 valid'],
  ['another has another name', [old, inDays(300, 'other')], 'warning', '2 valid; "'],
  [
    'its successor expires soon, too',
    [old, inDays(2, 'shop')],
    'warning',
    '2 valid; "',
    'Rotate each token: plant-store token rotate ID',
  ],
  ['many expire', Array(12).fill(old), 'warning', ', and 2 more expiring soon'],
  ['all can only create', [creating, creating, inDays(-1)], 'warning', '2 valid, but all are create-only'],
  ['some can only create', [creating, creating, forever], 'ok', '3 valid; 2 can only create records'],
] as const)('assesses tokens where %s', (_, tokens, status, found, advice?: string) => {
  const finding = assessTokens(tokens, context);
  expect(finding).toMatchObject({ status, found: expect.stringContaining(found) });
  if (advice !== undefined) expect(finding).toHaveProperty('advice', advice);
});

it('does not warn if JSON Web Tokens are accepted, or about reading if there is no page', () => {
  const accepting = { ...context, acceptsJwts: true };
  for (const tokens of [[], [creating]])
    expect(assessTokens(tokens, accepting)).toMatchObject({ status: 'ok' });
  expect(assessTokens([creating], { ...context, servesPage: false })).toMatchObject({ status: 'ok' });
});
