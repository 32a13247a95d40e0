import { Writable } from 'node:stream';
import { type Scope, scopes } from '@plant-store/contract/access-token';
import type { AccessToken } from '@plant-store/records';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTestDatabase, openTestDatabase } from '../../../test/support/database/create-test-database.js';
import { enginesOfStore } from '../../../test/support/database/engines.js';
import type { TestDatabase } from '../../../test/support/database/test-database.js';
import { type AccessTokenStore, createTokenService } from '../../auth/token-service.js';
import { replaceToken } from '../../cli/token.js';
import { operator } from '../../runtime/operator.js';
import type { Database } from '../database.js';
import { toToken } from '../token-store.js';

const hourMs = 3_600_000;

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
  const [first, second, third] = ['07.889', '07.890', '07.891'].map(
    (time) => new Date(`2026-03-04T05:06:${time}Z`),
  ) as [Date, Date, Date];
  const add = (hash: string, parts: { name?: string; expiresAt?: Date | null } = {}) =>
    store.add({ name: 'shop', hash, scopes, expiresAt: null, ...parts }, operator());

  it('finds when the first name in use has no valid token left', async () => {
    const [used, since, now] = [new Date('2030-06-01'), new Date('2030-05-01'), new Date('2030-06-02')];
    const day = (number: number) => new Date(Date.UTC(2030, 5, number, 4, 5, 6, 789));
    const find = () => store.findNextExpiry(now, since);
    const addUsed = async (name: string, expiry: Date | null, usedAt = used) => {
      const { id } = await add(`${name} ${expiry?.getTime()}`, { name, expiresAt: expiry });
      await store.recordUses([{ id, at: usedAt }]);
      return id;
    };
    expect(await find()).toBeNull();
    await addUsed('ended', day(1));
    await addUsed('unused lately', day(3), new Date('2030-04-01'));
    await add('never used', { name: 'never used', expiresAt: day(4) });
    await addUsed('lasting', null);
    await addUsed('replaced', day(5));
    await add('its successor', { name: 'replaced', expiresAt: null });
    await store.revoke(await addUsed('revoked', day(6)), used);
    expect(await find()).toBeNull();
    await addUsed('last', day(20));
    expect(await find()).toEqual(day(20));
    await addUsed('rotated', day(8));
    await add('the next one', { name: 'rotated', expiresAt: day(9) });
    expect(await find()).toEqual(day(9));
  });

  it('stores scopes by names that instances of 1.4 can also read', async () => {
    await store.add({ name: 'shop', hash: 'a', scopes: ['read', 'update', 'admin'], expiresAt }, operator());
    expect(await testDatabase.query('SELECT scopes FROM access_tokens')).toEqual([
      { scopes: 'read,correct,admin' },
    ]);
    expect(await store.findByHash('a')).toMatchObject({ scopes: ['read', 'update', 'admin'] });
  });

  it('stores the times of a token to the millisecond, and never returns its hash', async () => {
    const added = await store.add(
      { name: 'shop', hash: 'a', scopes: ['read', 'delete'], expiresAt },
      operator(),
    );
    expect(added).toEqual({
      id: 1,
      name: 'shop',
      scopes: ['read', 'delete'],
      createdAt: expect.any(Date),
      expiresAt,
      revokedAt: null,
      lastUsedAt: null,
      ratePerMinute: null,
    });
    expect(Math.abs(added.createdAt.getTime() - Date.now())).toBeLessThan(60_000);
    expect(await store.findByHash('a')).toEqual(added);
    expect(await store.findByHash('b')).toBeNull();
    expect(await store.find(added.id)).toEqual(added);
    expect(await store.find(added.id + 1)).toBeNull();
    expect(await store.list()).toEqual([added]);
  });

  it('lists all tokens that are valid at a time, and the latest ended ones', async () => {
    for (const hash of ['a', 'b', 'c']) await add(hash);
    for (const hash of ['d', 'e', 'f']) await add(hash, { expiresAt: second });
    for (const id of [1, 4]) await store.revoke(id, first);
    const listed = async (limit: number, at: Date) => (await store.listLatest(limit, at)).map(({ id }) => id);
    expect((await store.list()).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await listed(9, first)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await listed(1, first)).toEqual([2, 3, 4, 5, 6]);
    expect(await listed(2, second)).toEqual([2, 3, 5, 6]);
    expect(await listed(0, third)).toEqual([2, 3]);
    expect((await store.listLatest(1, first))[0]).not.toHaveProperty('hash');
  });

  it('stores a token only below the limit of valid ones, also with several concurrent processes', async () => {
    const others = await Promise.all([1, 2].map(() => openTestDatabase(testDatabase)));
    const stores = [store, ...others.map(({ accessTokens }) => accessTokens)];
    const token = { name: 'shop', scopes: ['read', 'admin'] as Scope[], createdAt: second };
    const issue = { by: operator(), check: () => undefined };
    const addAll = (name: string) =>
      Promise.all(
        Array.from({ length: 30 }, (_, index) =>
          stores[index % 3]?.addWithinLimit(10, { ...token, hash: `${name} ${index}`, expiresAt }, issue),
        ),
      );
    await add('revoked');
    await store.revoke(1, first);
    await add('expired', { expiresAt: second });
    await add('valid', { expiresAt: third });
    const added = (await addAll('a')).filter((each) => each !== null);
    expect(added).toHaveLength(9);
    const ofStore = (await store.list()).filter(({ id }) => id > 3);
    expect(added.toSorted((a, b) => (a?.id ?? 0) - (b?.id ?? 0))).toEqual(ofStore);
    expect(ofStore[0]).toEqual({
      ...token,
      id: expect.any(Number),
      expiresAt,
      revokedAt: null,
      lastUsedAt: null,
      ratePerMinute: null,
    });
    await store.revoke(ofStore[0]?.id ?? 0, first);
    expect((await addAll('b')).filter((each) => each !== null)).toHaveLength(1);
    await Promise.all(others.map((other) => other.close()));
  });

  it('revokes a token once, and keeps the first time', async () => {
    for (const hash of ['a', 'b']) await add(hash);
    expect(await store.revoke(1, first)).toMatchObject({ id: 1, revokedAt: first });
    expect(await store.revoke(1, second)).toMatchObject({ revokedAt: first });
    expect(await store.revoke(3, first)).toBeNull();
    expect(await store.list()).toMatchObject([{ revokedAt: first }, { revokedAt: null }]);
  });

  it('imports a token completely once, and later only its revocation and last use', async () => {
    const limits = { expiresAt, ratePerMinute: 600 };
    const created = { name: 'shop', scopes: ['create', 'read'] as Scope[], createdAt: first, ...limits };
    const token = { ...created, hash: 'a', revokedAt: null, lastUsedAt: null };
    expect(await store.importToken(token, operator())).toBe(true);
    expect(await store.listHashed()).toEqual([token]);
    const changed = { ...token, name: 'other', scopes, expiresAt: null };
    for (const [imported, expected] of [
      [changed, token],
      [{ revokedAt: second }, { revokedAt: second }],
      [{ revokedAt: third }, { revokedAt: second }],
      [{ revokedAt: null }, { revokedAt: second }],
      [{ lastUsedAt: first }, { lastUsedAt: first }],
      [{ lastUsedAt: second }, { lastUsedAt: second }],
      [{ lastUsedAt: first }, { lastUsedAt: second }],
      [{ lastUsedAt: null }, { lastUsedAt: second }],
    ]) {
      expect(await store.importToken({ ...token, ...imported }, operator())).toBe(false);
      expect(await store.listHashed()).toMatchObject([{ ...created, ...expected }]);
    }
    const times = { revokedAt: second, lastUsedAt: second };
    expect(await store.findByHash('a')).toEqual({ ...created, id: 1, ...times });
  });

  it('makes a token expire, but never later than before, and not a revoked one', async () => {
    await add('a', { expiresAt: second });
    await add('b');
    expect(await store.expire(1, third)).toMatchObject({ id: 1, expiresAt: second });
    expect(await store.expire(1, first)).toMatchObject({ expiresAt: first });
    expect(await store.expire(2, third)).toMatchObject({ id: 2, expiresAt: third });
    await store.revoke(2, first);
    expect(await store.expire(2, first)).toMatchObject({ expiresAt: third, revokedAt: first });
    expect(await store.expire(3, third)).toBeNull();
    expect(await store.list()).toMatchObject([{ expiresAt: first }, { expiresAt: third }]);
  });

  it('stores when tokens were used, together, and keeps the later time', async () => {
    for (const hash of ['a', 'b', 'c']) await add(hash);
    const record = (uses: Readonly<Record<number, Date>>) =>
      store.recordUses(Object.entries(uses).map(([id, at]) => ({ id: Number(id), at })));
    const used = async () => (await store.list()).map(({ lastUsedAt }) => lastUsedAt);
    await record({ 1: second, 3: second });
    expect(await used()).toEqual([second, null, second]);
    // As another instance with an earlier or later clock does. A missing token is not an error.
    await record({ 1: first, 2: first, 3: third, 4: first });
    expect(await used()).toEqual([second, first, third]);
    expect(await store.findByHash('c')).toMatchObject({ lastUsedAt: third });
  });

  describe('that are rotated', () => {
    let now = 0;
    let printed: string[] = [];
    const print = async (text: string): Promise<unknown> => printed.push(text);
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
      output.on('error', () => undefined);
      const context = { commandName: 'plant-store', output, message: async () => undefined };
      const old = await replaceToken(store, { id: 1, overlapMs: hourMs, ...request }, context, () => now);
      return { old, replacement: (await store.list()).at(-1) };
    };
    /** The statuses of tokens as another process verifies them, at a time after now. */
    const statusesOf = (texts: readonly string[], afterMs = 0) => {
      const { verify } = createTokenService(store, () => now + afterMs);
      return Promise.all(texts.map(async (text) => (await verify(text)).status));
    };

    it('issues a token of the same name and lifetime, or another one, and limits the old one', async () => {
      const expiresAt = new Date(now + 24 * hourMs);
      const { token } = await issue(expiresAt);
      now = expiresAt.getTime() - 2 * hourMs;
      const lifetimeMs = expiresAt.getTime() - token.createdAt.getTime();
      expect(await rotate()).toMatchObject({
        old: { id: 1, name: 'shop', expiresAt: new Date(now + hourMs), revokedAt: null },
        replacement: { id: 2, name: 'shop', expiresAt: new Date(now + lifetimeMs) },
      });
      expect(await rotate({ expiresAt: null, overlapMs: 3 * hourMs })).toMatchObject({
        // Never later than before.
        old: { expiresAt: new Date(now + hourMs) },
        replacement: { id: 3, expiresAt: null },
      });
    });

    it('limits the old token only after the new one is printed, because the process may end before', async () => {
      const { token } = await issue();
      let during: readonly AccessToken[] = [];
      await rotate({}, async () => {
        during = await store.list();
      });
      expect(during).toMatchObject([token, { id: 2, name: 'shop', revokedAt: null }]);
    });

    it('keeps both tokens when the database fails after the delivery', async () => {
      const { secret: text } = await issue();
      let endOutage = async () => undefined as unknown;
      const rotation = rotate({ overlapMs: 0 }, async (replacement) => {
        await print(replacement);
        endOutage = await testDatabase.beginOutage('closed');
      });
      await expect(rotation).rejects.toThrow(
        'Token 1 could not be set to expire because of a database error: ',
      );
      await endOutage();
      expect(await statusesOf([text, ...printed])).toEqual(['valid', 'valid']);
    });

    it('limits a token once when it is rotated twice at the same time', async () => {
      const { secret: text } = await issue();
      const forever = { expiresAt: null };
      await Promise.all([rotate(forever), rotate({ ...forever, overlapMs: 2 * hourMs })]);
      expect(await statusesOf([text, ...printed])).toEqual(['valid', 'valid', 'valid']);
      expect(await statusesOf([text, ...printed], hourMs)).toEqual(['expired', 'valid', 'valid']);
    });
  });
});

it('reads a time without a time zone, as written by SQLite, as UTC, and the known scopes, also by a former name', () => {
  vi.stubEnv('TZ', 'Asia/Kolkata');
  const times = ['2026-01-02 03:04:05', '2031-02-03T04:05:06.789+00:00', '2031-02-03T04:05:06Z', null, '600'];
  expect(toToken([1, 'shop', 'delete,create,correct,later', ...times])).toStrictEqual({
    id: 1,
    name: 'shop',
    scopes: ['create', 'update', 'delete'],
    createdAt: new Date('2026-01-02T03:04:05.000Z'),
    expiresAt: new Date('2031-02-03T04:05:06.789Z'),
    revokedAt: new Date('2031-02-03T04:05:06.000Z'),
    lastUsedAt: null,
    ratePerMinute: 600,
  });
  vi.unstubAllEnvs();
});
