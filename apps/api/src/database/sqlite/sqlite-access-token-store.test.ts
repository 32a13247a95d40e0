import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AccessTokenStore } from '../../auth/access-token-store.js';
import type { Database } from '../database.js';
import { openSqlite } from './open-sqlite.js';

let folder = '';
let database: Database;
let store: AccessTokenStore;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plant-store-test-'));
  database = await openSqlite(join(folder, 'plant-store.db'));
  store = database.accessTokens;
});
afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

const expiresAt = new Date('2031-02-03T04:05:06.789Z');

it('keeps a token to the millisecond, and never shows its hash', async () => {
  const added = await store.add({ name: 'shop', hash: 'a', expiresAt });
  expect(added).toStrictEqual({
    id: 1,
    name: 'shop',
    createdAt: expect.any(Date),
    expiresAt,
    revokedAt: null,
  });
  expect(await store.findByHash('a')).toStrictEqual(added);
  expect(await store.findByHash('b')).toBeNull();
  expect(await store.list()).toStrictEqual([added]);
});

it('lists tokens in the order of their ids, the same name as often as it was given', async () => {
  for (const hash of ['c', 'a', 'b']) await store.add({ name: 'shop', hash, expiresAt: null });
  expect((await store.list()).map(({ id }) => id)).toEqual([1, 2, 3]);
});

it('refuses the same hash twice', async () => {
  await store.add({ name: 'shop', hash: 'a', expiresAt: null });
  await expect(store.add({ name: 'other', hash: 'a', expiresAt: null })).rejects.toThrow();
});

it('revokes a token once, and keeps the first time', async () => {
  await store.add({ name: 'shop', hash: 'a', expiresAt: null });
  const first = new Date('2026-01-01T00:00:00.000Z');
  expect(await store.revoke(1, first)).toMatchObject({ revokedAt: first });
  expect(await store.revoke(1, new Date('2027-01-01T00:00:00.000Z'))).toMatchObject({ revokedAt: first });
  expect(await store.revoke(2, first)).toBeNull();
});
