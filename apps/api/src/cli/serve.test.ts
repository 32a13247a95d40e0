import fs, { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { createTokenService } from '../auth/token-service.js';
import { OperatorError } from '../errors/operator-error.js';
import { openSqlite } from '../store/sqlite/open-sqlite.js';
import { ensureQuickstartToken } from './serve.js';

const log = { info: vi.fn() };
let file = '';
beforeEach(() => {
  file = join(temporaryFolder(), 'access-token');
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

/** The tokens of a new database, and how one is added to it. */
async function openTokens() {
  const { accessTokens, close } = await openSqlite(join(temporaryFolder(), 'plant-store.db'));
  onTestFinished(close);
  return { tokens: createTokenService(accessTokens), add: vi.spyOn(accessTokens, 'add') };
}

it('explains a full disk, and leaves no file behind', async () => {
  const { tokens, add } = await openTokens();
  const token = (await tokens.issue({ name: 'other' })).token;
  add.mockImplementation(async () => {
    for (const name of ['writeFileSync', 'writeSync'] as const)
      vi.spyOn(fs, name).mockImplementation(() => {
        throw new Error('ENOSPC: no space left on device, write');
      });
    syncBuiltinESMExports();
    return token;
  });
  const starting = ensureQuickstartToken(tokens, file, log);
  await expect(starting).rejects.toBeInstanceOf(OperatorError);
  await expect(starting).rejects.toThrow(/access-token cannot be used: ENOSPC/);
  expect(readdirSync(join(file, '..'))).toEqual([]);
});

it('replaces a token that does not permit everything, like those of earlier versions', async () => {
  const { tokens } = await openTokens();
  const { secret: text } = await tokens.issue({ name: 'quickstart', scopes: ['create', 'read'] });
  writeFileSync(file, text);
  const replaced = await ensureQuickstartToken(tokens, file, log);
  expect(replaced).not.toBe(text);
  expect(readFileSync(file, 'utf8')).toBe(`${replaced}\n`);
  expect(log.info.mock.calls).toMatchObject([
    [{ change: 'created', by: 'command line', changed: { id: 2 } }, 'access token changed'],
  ]);
  expect(await ensureQuickstartToken(tokens, file, log)).toBe(replaced);
});
