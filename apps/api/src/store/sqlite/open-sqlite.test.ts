import fs, { readFileSync, statSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { scopes } from '@plant-store/contract/access-token';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { connectToSqlite, openSqliteFile } from '../../../test/support/database/open-sqlite-file.js';
import { temporaryFolder } from '../../../test/support/temporary-folder.js';
import { operator } from '../../runtime/operator.js';
import { openConnection } from './connections.js';
import { requireDatabaseFile } from './database-files.js';
import { explainFailure } from './errors.js';
import { openSqlite, recordUses } from './open-sqlite.js';

it("rejects another program's database, and leaves it unchanged", async () => {
  const file = join(temporaryFolder(), 'other.db');
  connectToSqlite(file).exec('CREATE TABLE customers (id INTEGER)');
  const before = readFileSync(file);
  await expect(openSqlite(file)).rejects.toThrow('it belongs to another program');
  expect(readFileSync(file).equals(before)).toBe(true);
});

it('opens an up-to-date database while another process writes', async () => {
  const { path, database } = await openSqliteFile();
  await database.close();
  connectToSqlite(path).exec('BEGIN IMMEDIATE');
  await (await openSqlite(path)).close();
});

it('waits for another process that has locked an up-to-date database', async () => {
  const { path, database } = await openSqliteFile();
  await database.close();
  const other = connectToSqlite(path);
  // A reader: it does not block the check of the migrations, but WAL mode cannot be enabled.
  other.exec('PRAGMA journal_mode = DELETE; BEGIN; SELECT id FROM plants');
  await Promise.all([openSqlite(path).then(({ close }) => close()), sleep(500).then(() => other.close())]);
});

it('records uses of tokens without waiting for the disk, and leaves a long log to the checkpointer', async () => {
  const { path, database } = await openSqliteFile();
  const { id } = await database.accessTokens.add(
    { name: 'shop', hash: 'a', scopes, expiresAt: null },
    operator(),
  );
  // More than the 1,000 pages at which SQLite itself would checkpoint. Not written through the store, because that would start its
  // checkpointer.
  const writer = connectToSqlite(path);
  writer.pragma('wal_autocheckpoint = 0');
  writer.prepare('INSERT INTO plants (id, name) VALUES (1, ?)').run('x'.repeat(5 * 1_024 * 1_024));
  const { size } = statSync(path);

  const connection = openConnection(path);
  const close = vi.spyOn(connection, 'close').mockReturnThis();
  const at = new Date('2026-03-04T05:06:07.890Z');
  await recordUses(() => connection, [{ id, at }]);
  close.mockRestore();
  // 1 is NORMAL: in WAL mode, commits do not sync, but checkpoints do.
  expect(connection.pragma('synchronous', { simple: true })).toBe(1);
  expect(statSync(path).size).toBe(size);
  expect(await database.accessTokens.list()).toMatchObject([{ lastUsedAt: at }]);
  connection.close();
});

describe('explains', () => {
  afterEach(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });

  function denied(file: fs.PathLike): never {
    throw Object.assign(new Error(`EACCES: permission denied, '${file}'`), { code: 'EACCES' });
  }

  it.each<[string, (path: string) => unknown]>([
    ['open', openSqlite],
    ['read', async (path) => requireDatabaseFile(path)],
  ])('which folder this user must enter, but may not, to %s a database', async (_, open) => {
    // Simulated, since root may enter any folder.
    const closed = join(temporaryFolder(), 'closed');
    const { accessSync, statSync } = fs;
    vi.spyOn(fs, 'mkdirSync').mockImplementation(denied);
    vi.spyOn(fs, 'accessSync').mockImplementation((file, mode) =>
      String(file).startsWith(closed) ? denied(file) : accessSync(file, mode),
    );
    vi.spyOn(fs, 'statSync').mockImplementation((file) =>
      String(file).startsWith(closed) ? denied(file) : statSync(file),
    );
    syncBuiltinESMExports();
    await expect(open(join(closed, 'data/plant-store.db'))).rejects.toMatchObject({
      name: 'OperatorError',
      exitCode: 1,
      message: expect.stringMatching(
        /^The database .+plant-store\.db cannot be opened: this user cannot enter the folder \S+\/closed\.\nRun the command as/,
      ),
    });
  });

  it.each(['ERR_DLOPEN_FAILED', 'MODULE_NOT_FOUND'])(
    'what to do when the driver does not load: %s',
    (code) => {
      const message = "no '/app/better_sqlite3.node'\nRequire stack:\n- /app";
      const error = Object.assign(new Error(message), { code });
      expect(explainFailure(error, 'a.db').split('\n')).toEqual([
        expect.stringMatching(/^The SQLite driver, .+, failed to load in Node\.js v\d+.+sqlite3\.node/),
        'It was installed for another Node.js version or machine. Remove node_modules, install the packages with this Node.js version, and build again.',
      ]);
    },
  );
});
