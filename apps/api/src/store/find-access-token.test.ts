import { expect, it, vi } from 'vitest';
import { findAccessToken } from './token-store.js';

/** Every query returns this row. */
const returning = (row: readonly unknown[]) => async () => [row];

it('reads a time without a time zone, as SQLite itself writes it, as UTC, and the scopes that it knows', async () => {
  vi.stubEnv('TZ', 'Asia/Kolkata');
  const row = [
    1,
    'shop',
    'delete,create,later',
    '2026-01-02 03:04:05',
    '2031-02-03T04:05:06.789+00:00',
    '2031-02-03T04:05:06Z',
    null,
  ];
  expect(await findAccessToken(returning(row), '?', 'a')).toStrictEqual({
    id: 1,
    name: 'shop',
    scopes: ['create', 'delete'],
    createdAt: new Date('2026-01-02T03:04:05.000Z'),
    expiresAt: new Date('2031-02-03T04:05:06.789Z'),
    revokedAt: new Date('2031-02-03T04:05:06.000Z'),
    lastUsedAt: null,
  });
  vi.unstubAllEnvs();
});
