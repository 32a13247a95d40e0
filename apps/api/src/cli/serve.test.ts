import fs, { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { scopes } from '@plant-store/contract/access-token';
import { afterEach, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import {
  type AccessToken,
  type AccessTokenStore,
  createTokenService,
  type TokenService,
} from '../auth/token-service.js';
import { OperatorError } from '../errors/operator-error.js';
import { ensureQuickstartToken } from './serve.js';

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

const times = { scopes, createdAt: new Date(), expiresAt: null, revokedAt: null, lastUsedAt: null };
const token = { id: 1, name: 'quickstart', ...times };

/** Access tokens over a store without any, which adds one in this way. */
const createTokens = (add: AccessTokenStore['add']): TokenService =>
  createTokenService({
    add,
    findByHash: async () => null,
    list: async () => [],
    revoke: async () => null,
  });

it('explains a full disk, and leaves no file behind', async () => {
  const folder = temporaryFolder();
  const accessTokens = createTokens(async () => {
    for (const name of ['writeFileSync', 'writeSync'] as const) {
      vi.spyOn(fs, name).mockImplementation(() => {
        throw new Error('ENOSPC: no space left on device, write');
      });
    }
    syncBuiltinESMExports();
    return token;
  });
  const starting = ensureQuickstartToken(accessTokens, join(folder, 'access-token'));
  await expect(starting).rejects.toBeInstanceOf(OperatorError);
  await expect(starting).rejects.toThrow(/access-token cannot be used: ENOSPC/);
  expect(readdirSync(folder)).toEqual([]);
});

it('leaves no file behind when no token can be issued', async () => {
  const folder = temporaryFolder();
  const failure = new Error('the database does not answer');
  const accessTokens = createTokens(() => Promise.reject(failure));
  await expect(ensureQuickstartToken(accessTokens, join(folder, 'access-token'))).rejects.toBe(failure);
  expect(readdirSync(folder)).toEqual([]);
});

it('replaces a token that does not permit everything, as those of earlier versions', async () => {
  const file = join(temporaryFolder(), 'access-token');
  const stored = new Map<string, AccessToken>();
  const accessTokens = createTokenService({
    add: async ({ hash, ...added }) => {
      stored.set(hash, { ...token, ...added });
      return token;
    },
    findByHash: async (hash) => stored.get(hash) ?? null,
    list: async () => [],
    revoke: async () => null,
  });
  const { text } = await accessTokens.issue({ name: 'quickstart', scopes: ['create', 'read'] });
  writeFileSync(file, text);
  const replaced = await ensureQuickstartToken(accessTokens, file);
  expect(replaced).not.toBe(text);
  expect(readFileSync(file, 'utf8')).toBe(`${replaced}\n`);
  expect(await ensureQuickstartToken(accessTokens, file)).toBe(replaced);
});
