import { type Scope, scopes } from '@plant-store/contract/access-token';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, openTestDatabase } from '../../../test/support/database/create-test-database.js';
import { enginesOfStore } from '../../../test/support/database/engines.js';
import type { TestDatabase } from '../../../test/support/database/test-database.js';
import type { AccessTokenStore } from '../../auth/token-service.js';
import type { Database } from '../database.js';

describe.each(enginesOfStore())('the access token store on %s', (engine) => {
  let testDatabase: TestDatabase;
  let database: Database;
  let store: AccessTokenStore;
  beforeEach(async () => {
    testDatabase = await createTestDatabase(engine);
    database = await openTestDatabase(testDatabase);
    store = database.accessTokens;
  });
  afterEach(async () => {
    await database.close();
    await testDatabase.remove();
  });

  const expiresAt = new Date('2031-02-03T04:05:06.789Z');

  it('stores the times of a token to the millisecond, and never returns its hash', async () => {
    const before = Date.now();
    const added = await store.add({ name: 'shop', hash: 'a', scopes: ['read', 'delete'], expiresAt });
    expect(added).toEqual({
      id: 1,
      name: 'shop',
      scopes: ['read', 'delete'],
      createdAt: expect.any(Date),
      expiresAt,
      revokedAt: null,
      lastUsedAt: null,
    });
    expect(added.createdAt.getTime()).toBeGreaterThanOrEqual(before - 1_000);
    expect(added.createdAt.getTime()).toBeLessThanOrEqual(Date.now() + 1_000);
    expect(await store.findByHash('a')).toEqual(added);
    expect(await store.findByHash('b')).toBeNull();
    expect(await store.list()).toEqual([added]);
  });

  it('lists tokens in the order of their ids, several of the same name too', async () => {
    for (const hash of ['c', 'a', 'b']) await store.add({ name: 'shop', hash, scopes, expiresAt: null });
    await store.revoke(1, new Date());
    expect((await store.list()).map(({ id }) => id)).toEqual([1, 2, 3]);
  });

  it('rejects a hash that exists', async () => {
    await store.add({ name: 'shop', hash: 'a', scopes, expiresAt: null });
    await expect(store.add({ name: 'other', hash: 'a', scopes, expiresAt: null })).rejects.toThrow(/unique/i);
    expect(await store.list()).toMatchObject([{ name: 'shop' }]);
  });

  it('revokes a token once, and keeps the first time', async () => {
    await store.add({ name: 'shop', hash: 'a', scopes, expiresAt: null });
    await store.add({ name: 'other', hash: 'b', scopes, expiresAt: null });
    const first = new Date('2026-01-01T00:00:00.123Z');
    expect(await store.revoke(1, first)).toMatchObject({ id: 1, revokedAt: first });
    expect(await store.revoke(1, new Date('2027-01-01T00:00:00.000Z'))).toMatchObject({ revokedAt: first });
    expect(await store.revoke(3, first)).toBeNull();
    expect((await store.list()).map(({ revokedAt }) => revokedAt)).toEqual([first, null]);
  });

  it('imports a token completely, once, and later only its revocation', async () => {
    const createdAt = new Date('2026-01-02T03:04:05.678Z');
    const limited: readonly Scope[] = ['create', 'read'];
    const token = {
      name: 'shop',
      hash: 'a',
      scopes: limited,
      createdAt,
      expiresAt,
      revokedAt: null,
      lastUsedAt: null,
    };
    const revokedAt = new Date('2026-02-03T04:05:06.789Z');
    expect(await store.takeOver(token)).toBe(true);
    expect(await store.listHashed()).toEqual([token]);
    expect(await store.takeOver({ ...token, name: 'other', scopes, expiresAt: null })).toBe(false);
    expect(await store.listHashed()).toEqual([token]);
    expect(await store.takeOver({ ...token, revokedAt })).toBe(false);
    expect(await store.takeOver({ ...token, revokedAt: new Date() })).toBe(false);
    expect(await store.takeOver(token)).toBe(false);
    expect(await store.listHashed()).toEqual([{ ...token, revokedAt }]);
    expect(await store.findByHash('a')).toEqual({
      id: 1,
      name: 'shop',
      scopes: limited,
      createdAt,
      expiresAt,
      revokedAt,
      lastUsedAt: null,
    });
  });

  it('imports when a token was last used, and keeps the later time', async () => {
    const [earlier, later] = [new Date('2026-03-04T05:06:07.890Z'), new Date('2026-03-04T05:06:07.891Z')];
    const times = { scopes, createdAt: new Date(0), expiresAt: null, revokedAt: null };
    const takeOver = (lastUsedAt: Date | null) =>
      store.takeOver({ name: 'shop', hash: 'a', ...times, lastUsedAt });
    expect(await takeOver(null)).toBe(true);
    for (const [imported, expected] of [
      [earlier, earlier],
      [later, later],
      [earlier, later],
      [null, later],
    ] as const) {
      expect(await takeOver(imported)).toBe(false);
      expect(await store.listHashed()).toMatchObject([{ lastUsedAt: expected }]);
    }
  });

  it('makes a token expire, but never later than it would, nor a revoked one', async () => {
    await store.add({ name: 'limited', hash: 'a', scopes, expiresAt });
    await store.add({ name: 'unlimited', hash: 'b', scopes, expiresAt: null });
    const earlier = new Date('2031-02-03T04:05:06.788Z');
    const later = new Date('2031-02-03T04:05:06.790Z');
    expect(await store.expire(1, later)).toMatchObject({ id: 1, expiresAt });
    expect(await store.expire(1, earlier)).toMatchObject({ expiresAt: earlier });
    expect(await store.expire(2, later)).toMatchObject({ id: 2, expiresAt: later });
    await store.revoke(2, earlier);
    expect(await store.expire(2, earlier)).toMatchObject({ expiresAt: later, revokedAt: earlier });
    expect(await store.expire(3, later)).toBeNull();
    expect((await store.list()).map((token) => token.expiresAt)).toEqual([earlier, later]);
  });

  it('stores when tokens were used, together, and keeps the later time', async () => {
    for (const hash of ['a', 'b', 'c']) await store.add({ name: 'shop', hash, scopes, expiresAt: null });
    const [first, second, third] = ['07.889', '07.890', '08.000'].map(
      (time) => new Date(`2026-03-04T05:06:${time}Z`),
    );
    if (first === undefined || second === undefined || third === undefined) throw new Error('three times');
    await store.recordUses([
      { id: 1, at: second },
      { id: 3, at: second },
    ]);
    const used = async () => (await store.list()).map(({ lastUsedAt }) => lastUsedAt);
    expect(await used()).toEqual([second, null, second]);
    // As another instance does, whose time is earlier or later. A token that is gone is no error.
    await store.recordUses([
      { id: 1, at: first },
      { id: 2, at: first },
      { id: 3, at: third },
      { id: 4, at: first },
    ]);
    expect(await used()).toEqual([second, first, third]);
    expect(await store.findByHash('c')).toMatchObject({ lastUsedAt: third });
  });

  it('rejects with database_unavailable during an outage, and works after it', async () => {
    await store.add({ name: 'shop', hash: 'a', scopes, expiresAt: null });
    const endOutage = await testDatabase.beginOutage('closed');
    for (const write of [
      () => store.revoke(1, new Date()),
      () => store.add({ name: 'other', hash: 'b', scopes, expiresAt: null }),
    ]) {
      await expect(write()).rejects.toMatchObject({
        errorName: 'database_unavailable',
        headers: { 'Retry-After': '1' },
        cause: expect.anything(),
      });
    }
    await endOutage();
    expect(await store.list()).toMatchObject([{ name: 'shop', revokedAt: null }]);
  });
});
