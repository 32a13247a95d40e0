import { type Scope, scopes } from '@plant-store/contract/access-token';
import type { AccessToken, Actor, AuditEvent } from '@plant-store/records';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, openTestDatabase } from '../../../test/support/database/create-test-database.js';
import { enginesOfStore } from '../../../test/support/database/engines.js';
import type { TestDatabase } from '../../../test/support/database/test-database.js';
import { createTokenService, generateAccessToken } from '../../auth/token-service.js';
import type { Database } from '../database.js';

const hourMs = 3_600_000;

describe.each(enginesOfStore())('the audit on %s', (engine) => {
  let testDatabase: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    testDatabase = await createTestDatabase(engine);
    database = await openTestDatabase(testDatabase);
  });
  afterEach(async () => {
    await testDatabase.query('DELETE FROM access_tokens');
    await testDatabase.query('DELETE FROM audit');
  });
  afterAll(async () => {
    await database.close();
    await testDatabase.remove();
  });

  const by: Actor = { id: 7, name: 'ops' };
  const admin: Scope[] = ['admin'];
  const at = new Date('2026-03-04T05:06:07.890Z');
  const expiresAt = new Date('2031-02-03T04:05:06.789Z');
  const shop = { name: 'shop', scopes: admin, expiresAt: null };
  const add = (hash: string, parts: { expiresAt?: Date; ratePerMinute?: number } = {}) =>
    database.accessTokens.add({ ...shop, hash, ...parts }, by);
  const list = () => database.audit.list({ before: undefined, action: undefined, limit: 100 });
  /** The audited actions without numbers and times, oldest first. */
  const actions = async () =>
    (await list()).toReversed().map(({ number: _, at: __, about: { token, ...about }, ...event }) => ({
      ...event,
      about: { ...about, ...(token && { token: token.id }) },
    }));
  const tokens = () => database.accessTokens.listHashed();
  const issue = { by, check: () => undefined };
  const replacing = (id: number, afterMs: number) => ({
    ...issue,
    replaces: { id, afterMs, at: new Date(at.getTime() + afterMs) },
  });
  const limited = (hash: string) => ({ ...shop, hash, createdAt: at });
  const imported = (hash: string, revokedAt: Date | null = null) => ({
    ...shop,
    hash,
    createdAt: at,
    revokedAt,
    lastUsedAt: at,
  });

  it('stores a token as it was, and who changed it', async () => {
    const [first, second] = [await add('a', { expiresAt, ratePerMinute: 600 }), await add('b')];
    await database.accessTokens.revoke(first.id, at, { subject: 'anna\u202e "x"' });
    const [newest, ...others] = await list();
    expect(newest).toEqual({
      number: expect.any(Number),
      at: at.getTime(),
      by: { subject: 'anna\u202e "x"' },
      action: 'token_revoked',
      about: {
        token: {
          id: first.id,
          name: 'shop',
          scopes: admin,
          expiresAt: expiresAt.toISOString(),
          ratePerMinute: 600,
        },
      },
    });
    expect(others).toMatchObject([
      { by, action: 'token_created', about: { token: { id: second.id, name: 'shop', scopes: admin } } },
      { by, action: 'token_created', about: { token: { id: first.id } } },
    ]);
    expect(others.every((event) => Math.abs(event.at - Date.now()) < 60_000)).toBe(true);
  });

  it('stores each change of a token once', async () => {
    const { accessTokens: store } = database;
    const created = await add('a');
    const below = await store.addWithinLimit(10, limited('b'), issue);
    const soon = await store.addWithinLimit(10, limited('c'), replacing(created.id, hourMs));
    const now = await store.addWithinLimit(10, limited('d'), replacing(below?.id ?? 0, 0));
    const printed = await store.add({ ...shop, hash: 'e' }, by, created);
    // Those of a rotation by the command line.
    await store.expire(created.id, at);
    await store.revoke(created.id, at);
    for (const _ of [1, 2]) await store.revoke(soon?.id ?? 0, at, by);
    for (const _ of [1, 2]) await store.importToken(imported('f'), by);
    for (const _ of [1, 2]) await store.importToken(imported('f', at), by);
    const moved = await store.findByHash('f');
    await store.importToken(imported('g', at), by);
    const ended = await store.findByHash('g');
    const replaced = (token: AccessToken | null) => ({ id: token?.id, name: 'shop' });
    expect(await actions()).toEqual([
      { by, action: 'token_created', about: { token: created.id } },
      { by, action: 'token_created', about: { token: below?.id } },
      { by, action: 'token_rotated', about: { token: soon?.id, replaced: replaced(created) } },
      { by, action: 'token_rotated', about: { token: now?.id, replaced: replaced(below) } },
      { by, action: 'token_rotated', about: { token: printed.id, replaced: replaced(created) } },
      { by, action: 'token_revoked', about: { token: soon?.id } },
      { by, action: 'token_imported', about: { token: moved?.id } },
      { by, action: 'token_revoked', about: { token: moved?.id } },
      { by, action: 'token_imported', about: { token: ended?.id } },
    ]);
    expect(await store.find(below?.id ?? 0)).toMatchObject({ revokedAt: at });
    expect(moved).toMatchObject({ revokedAt: at, lastUsedAt: at });
  });

  it('stores nothing about failed actions', async () => {
    const { accessTokens: store } = database;
    const { id } = await add('a');
    const before = [await tokens(), await actions()];
    await expect(add('a')).rejects.toThrow(/unique/i);
    await expect(store.addWithinLimit(10, limited('a'), replacing(id, 0))).rejects.toThrow(/unique/i);
    expect(await store.addWithinLimit(1, limited('b'), replacing(id, 0))).toBeNull();
    expect(await store.revoke(id + 1, at, by)).toBeNull();
    const refused = new Error('refused');
    const refuse = {
      ...replacing(id, 0),
      check(own: AccessToken | null, old: AccessToken | null) {
        expect([own, old]).toMatchObject([null, { id }]);
        throw refused;
      },
    };
    await expect(store.addWithinLimit(10, limited('b'), refuse)).rejects.toBe(refused);
    expect([await tokens(), await actions()]).toEqual(before);
  });

  it('is in the same transaction as each change, and fails with it', async () => {
    const { accessTokens: store } = database;
    const { id } = await add('a');
    const before = [await tokens(), await actions()];
    await testDatabase.query('ALTER TABLE audit RENAME TO elsewhere');
    for (const change of [
      () => add('b'),
      () => store.add({ ...shop, hash: 'b' }, by, { id, name: 'shop' }),
      () => store.addWithinLimit(10, limited('b'), issue),
      () => store.addWithinLimit(10, limited('b'), replacing(id, 0)),
      () => store.addWithinLimit(10, limited('b'), replacing(id, hourMs)),
      () => store.revoke(id, at, by),
      () => store.importToken(imported('b'), by),
      () => store.importToken(imported('a', at), by),
    ])
      await expect(change()).rejects.toThrow(/audit/);
    await testDatabase.query('ALTER TABLE elsewhere RENAME TO audit');
    expect([await tokens(), await actions()]).toEqual(before);
    await store.revoke(id, at, by);
    expect(await actions()).toHaveLength(2);
  });

  it('stays in the order of numbers with several concurrent processes', async () => {
    const others = await Promise.all([1, 2].map(() => openTestDatabase(testDatabase)));
    const stores = [database, ...others].map(({ accessTokens }) => accessTokens);
    let seen: readonly number[] = [];
    let isDone = false;
    // Once a number is shown, no smaller one appears later.
    const watching = (async () => {
      while (!isDone) {
        const numbers = (await list()).map(({ number }) => number);
        expect(numbers.slice(numbers.length - seen.length)).toEqual(seen);
        seen = numbers;
      }
    })();
    await Promise.all(
      Array.from({ length: 30 }, async (_, index) => {
        const store = stores[index % 3];
        const token = await store?.addWithinLimit(1_000, limited(`${index}`), issue);
        if (index % 2 === 0) await store?.revoke(token?.id ?? 0, at, by);
      }),
    );
    isDone = true;
    await watching;
    await Promise.all(others.map((other) => other.close()));
    const all = await list();
    expect(all).toHaveLength(45);
    expect(new Set(all.map(({ about }) => about.token?.id)).size).toBe(30);
    expect(all.map(({ number }) => number)).toEqual(
      all.map(({ number }) => number).toSorted((a, b) => b - a),
    );
  });

  it('stores actions without a token, and never reuses a number', async () => {
    const file = { name: 'plants.csv', resources: ['plants'], imported: 3, alreadyThere: 2, bad: 1 };
    const event: AuditEvent = {
      at: 5,
      by: { user: 'anna' },
      action: 'imported',
      about: { file: { ...file, complete: true } },
    };
    // A retry of an attempt with an unknown outcome.
    for (const _ of [1, 2]) await database.audit.add(event);
    const [first, ...rest] = await list();
    expect(first).toEqual({ ...event, number: expect.any(Number) });
    expect(rest).toEqual([]);
    await testDatabase.query('DELETE FROM audit');
    await database.audit.add({ ...event, at: 6 });
    expect((await list())[0]?.number).toBeGreaterThan(first?.number ?? 0);
  });

  it('never contains the text of a token, even in a name, and skips actions of later versions', async () => {
    const secret = generateAccessToken();
    const { secret: text } = await createTokenService(database.accessTokens).issue({ name: secret, scopes });
    const user = { user: secret };
    await database.audit.add({ at: 1, by: user, action: 'imported', about: {} });
    const [imported, created] = await list();
    expect([created?.about.token?.name, imported?.by]).toEqual(['pst_***', { user: 'pst_***' }]);
    const rows = JSON.stringify(await testDatabase.query('SELECT "by", about FROM audit'));
    for (const each of [text, secret]) expect(rows).not.toContain(each.slice(4, 16));
    await testDatabase.query(`UPDATE audit SET action = 'watered' WHERE action = 'imported'`);
    await testDatabase.query(`UPDATE audit SET about = replace(about, '"read"', '"water","read"')`);
    expect(await list()).toMatchObject([{ about: { token: { scopes } } }]);
  });
});
