import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, openTestDatabase } from '../../../test/support/database/create-test-database.js';
import { enginesOfStore } from '../../../test/support/database/engines.js';
import type { TestDatabase } from '../../../test/support/database/test-database.js';
import { type AccessToken, type AccessTokenStore, createTokenService } from '../../auth/token-service.js';
import { replaceToken } from '../../cli/token.js';
import { OperatorError } from '../../errors/operator-error.js';
import type { Database } from '../database.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

describe.each(enginesOfStore())('the rotation of a token on %s', (engine) => {
  let testDatabase: TestDatabase;
  let database: Database;
  let store: AccessTokenStore;
  /** The time, and tokens printed so far. */
  let now = 0;
  let printed: string[] = [];
  const print = async (text: string) => void printed.push(text);
  beforeEach(async () => {
    testDatabase = await createTestDatabase(engine);
    database = await openTestDatabase(testDatabase);
    store = database.accessTokens;
    now = Date.now();
    printed = [];
  });
  afterEach(async () => {
    await database.close();
    await testDatabase.remove();
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
    expect([await statusOf(text, hourMs), await statusOf(replacement, hourMs)]).toEqual(['expired', 'valid']);
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
