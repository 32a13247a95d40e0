import { Writable } from 'node:stream';
import { type Scope, scopes } from '@plant-store/contract/access-token';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTestDatabase, openTestDatabase } from '../../../test/support/database/create-test-database.js';
import { enginesOfStore } from '../../../test/support/database/engines.js';
import type { TestDatabase } from '../../../test/support/database/test-database.js';
import { type AccessToken, type AccessTokenStore, createTokenService } from '../../auth/token-service.js';
import { replaceToken } from '../../cli/token.js';
import { OperatorError } from '../../errors/operator-error.js';
import type { Database } from '../database.js';
import { findAccessToken } from '../token-store.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

describe.each(enginesOfStore())('access tokens on %s', (engine) => {
  let testDatabase: TestDatabase;
  let database: Database;
  let store: AccessTokenStore;
  beforeAll(async () => {
    testDatabase = await createTestDatabase(engine);
    database = await openTestDatabase(testDatabase);
    store = database.accessTokens;
  });
  afterEach(async () => {
    await testDatabase.query('DELETE FROM access_tokens');
    // The next id is 1 again.
    await testDatabase.query(
      engine === 'sqlite' ? 'DELETE FROM sqlite_sequence' : 'TRUNCATE access_tokens RESTART IDENTITY',
    );
  });
  afterAll(async () => {
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

  describe('that are rotated', () => {
    /** The time, and tokens printed so far. */
    let now = 0;
    let printed: string[] = [];
    const print = async (text: string) => void printed.push(text);
    beforeEach(() => {
      now = Date.now();
      printed = [];
    });

    const issue = (expiresAt?: Date) =>
      createTokenService(store).issue({ name: 'shop', ...(expiresAt && { expiresAt }) });
    /** Rotates a token, and returns the old one and the newest. */
    const rotate = async (request: Partial<Parameters<typeof replaceToken>[1]> = {}, printTo = print) => {
      const output = new Writable({
        write: (chunk, _encoding, done) => void printTo(String(chunk).trim()).then(() => done(), done),
      });
      const context = { commandName: 'plant-store', output, message: async () => undefined };
      const old = await replaceToken(store, { id: 1, overlapMs: hourMs, ...request }, context, () => now);
      return { old, replacement: (await store.list()).at(-1) };
    };
    /** The status of a token as another process verifies it, at a time after now. */
    const statusOf = async (text = '', afterMs = 0) =>
      (await createTokenService(store, () => now + afterMs).verify(text)).status;

    it('issues a token of the same name, and lets both work until the old one expires', async () => {
      const { text } = await issue();
      expect(await rotate()).toMatchObject({
        old: { id: 1, name: 'shop', expiresAt: new Date(now + hourMs), revokedAt: null },
        replacement: { id: 2, name: 'shop', expiresAt: null },
      });
      const [replacement] = printed;
      expect([await statusOf(text), await statusOf(replacement)]).toEqual(['valid', 'valid']);
      expect([await statusOf(text, hourMs), await statusOf(replacement, hourMs)]).toEqual([
        'expired',
        'valid',
      ]);
    });

    it('revokes the old token at once without an overlap', async () => {
      const { text } = await issue();
      expect(await rotate({ overlapMs: 0 })).toMatchObject({ old: { revokedAt: new Date(now) } });
      expect([await statusOf(text), await statusOf(printed[0])]).toEqual(['revoked', 'valid']);
    });

    it('never lets the old token work longer than it would, and issues the new one for as long', async () => {
      const expiresAt = new Date(now + dayMs);
      const { token } = await issue(expiresAt);
      now += dayMs - 1_000;
      expect(await rotate()).toMatchObject({
        old: { expiresAt },
        replacement: { expiresAt: new Date(now + expiresAt.getTime() - token.createdAt.getTime()) },
      });
    });

    it.each([{ expiresAt: new Date('2040-01-02T03:04:05.678Z') }, { expiresAt: null }])(
      'issues the new token for as long as it is asked to: $expiresAt',
      async ({ expiresAt }) => {
        await issue(new Date(now + dayMs));
        expect(await rotate({ expiresAt })).toMatchObject({ replacement: { expiresAt } });
      },
    );

    it('issues no token for one that is unknown, revoked or expired', async () => {
      await issue(new Date(now + 1));
      await issue();
      await store.revoke(2, new Date());
      now += 1;
      await expect(rotate({ id: 3 })).rejects.toThrow('There is no token 3.');
      await expect(rotate({ id: 2 })).rejects.toThrow('Token 2 "shop" cannot be rotated: revoked');
      await expect(rotate({ id: 1 })).rejects.toThrow('Token 1 "shop" cannot be rotated: expire');
      expect(await store.list()).toHaveLength(2);
      expect(printed).toEqual([]);
    });

    it.each([0, hourMs])(
      'leaves the old token as it was when the new one cannot be printed: overlap %s',
      async (overlapMs) => {
        const { token } = await issue();
        const rotation = rotate({ overlapMs }, () => Promise.reject(new Error('write EPIPE')));
        await expect(rotation).rejects.toBeInstanceOf(OperatorError);
        await expect(rotation).rejects.toThrow(
          'The new token 2 could not be printed: write EPIPE\nIt is revoked',
        );
        expect(await store.list()).toMatchObject([token, { id: 2, revokedAt: expect.any(Date) }]);
      },
    );

    it('limits the old token only once the new one is printed, since the process may end before', async () => {
      const { token } = await issue();
      const during: (readonly AccessToken[])[] = [];
      await rotate({}, async () => void during.push(await store.list()));
      expect(during).toMatchObject([[token, { id: 2, name: 'shop', revokedAt: null }]]);
    });

    it('keeps both tokens when the database fails after the delivery', async () => {
      const { text } = await issue();
      let endOutage = async () => undefined as unknown;
      const rotation = rotate({ overlapMs: 0 }, async (replacement) => {
        printed.push(replacement);
        endOutage = await testDatabase.beginOutage('closed');
      });
      await expect(rotation).rejects.toThrow('Token 1 is not limited, since the database has failed: ');
      await endOutage();
      expect([await statusOf(text), await statusOf(printed[0])]).toEqual(['valid', 'valid']);
    });

    it('limits a token once when it is rotated twice at the same time', async () => {
      const { text } = await issue();
      await Promise.all([rotate(), rotate({ overlapMs: 2 * hourMs })]);
      expect(await Promise.all(printed.map((replacement) => statusOf(replacement)))).toEqual([
        'valid',
        'valid',
      ]);
      expect(await statusOf(text, hourMs)).toBe('expired');
    });
  });
});

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
