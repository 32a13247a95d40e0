import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { createTokenService } from '../../src/auth/token-service.js';
import { readMigrations } from '../../src/store/migrations.js';
import { openTestDatabase } from '../support/database/create-test-database.js';
import { connectToSqlite } from '../support/database/open-sqlite-file.js';
import { unusableLedgers } from '../support/database/unusable-ledgers.js';
import { examine, expectFound } from '../support/examine.js';
import { execute, readRow } from '../support/process/fill-store.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** Creates a database with a token, and optionally changes it by SQL. */
async function createStore(sql = '') {
  const path = join(temporaryFolder(), 'plant-store.db');
  const database = await openTestDatabase({ url: `file:${path}` });
  await createTokenService(database.accessTokens).issue({ name: 'shop' });
  await database.close();
  execute(path, sql);
  return { path, check: () => examine({ DATABASE_URL: `file:${path}` }) };
}

it('finds nothing wrong with a new store, and changes nothing', async () => {
  const { path, check } = await createStore();
  const before = { content: readFileSync(path), mtimeMs: statSync(path).mtimeMs };
  expectFound(await check(), {
    database: `ok: SQLite file ${path}`,
    migrations: 'ok: up to date',
    'access tokens': 'ok: 1 valid',
    'file access': 'ok: only this user can access the files',
    'disk space': /./,
    'sync time': /^(ok|warning): [\d.]+ ms \(median\)/,
  });
  expect({ content: readFileSync(path), mtimeMs: statSync(path).mtimeMs }).toEqual(before);
  expect(readdirSync(dirname(path))).toEqual(['plant-store.db']);
});

it('creates no database that is missing, nor its folder', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'data/deep/plant-store.db');
  expectFound(await examine({ DATABASE_URL: `file:${path}` }), {
    database: new RegExp(`^warning: ${path} does not exist yet`),
    'file access': 'ok: there are no files yet',
    'file system': new RegExp(folder),
  });
  expect(readdirSync(folder)).toEqual([]);
});

it('applies no pending migrations, and reports them', async () => {
  const { path, check } = await createStore('DELETE FROM _prisma_migrations');
  const names = readMigrations('sqlite').map(({ name }) => name);
  expectFound(await check(), {
    migrations: new RegExp(`^warning: pending: ${names.join(', ')}. Back up the database first`),
    'access tokens': [],
  });
  expect(readRow(path, 'SELECT * FROM _prisma_migrations')).toBeUndefined();
});

it.each(unusableLedgers)('reports a database of %s', async (_, sql, message) => {
  const { check } = await createStore(sql);
  expectFound(await check(), { migrations: new RegExp(`^error: .*${message}`) });
});

it('warns of files that others may read, and reports a folder that others may write to', async () => {
  const { path, check } = await createStore();
  connectToSqlite(path).prepare('SELECT count(*) FROM plants').get();
  for (const file of [path, `${path}-wal`, `${path}-shm`]) chmodSync(file, 0o640);
  chmodSync(dirname(path), 0o777);
  const ofFiles = [
    new RegExp(`^warning: other users can access ${path}, which contains token hashes and has mode 0640`),
    new RegExp(`chmod 600 ${path}-wal`),
    new RegExp(`chmod 600 ${path}-shm`),
  ];
  const ofFolder = new RegExp(`^error: every user can replace the files in ${dirname(path)}`);
  expectFound(await check(), { 'file access': [...ofFiles, ofFolder] });
  chmodSync(dirname(path), 0o1777);
  expectFound(await check(), { 'file access': ofFiles });
});

it('warns when another user owns the files', async () => {
  const { path, check } = await createStore();
  const { uid } = statSync(path);
  vi.spyOn(process, 'getuid').mockReturnValue(uid + 1);
  const belongs = new RegExp(`^warning: ${path} is owned by uid ${uid}`);
  expectFound(await check(), { 'file access': belongs });
});

it.runIf(process.platform === 'linux')('reports a folder in which nobody can write', async () => {
  const found = await examine({ DATABASE_URL: 'file:/proc/plant-store.db' });
  expectFound(found, { 'sync time': /^error: SQLite must be able to write files in \/proc: / });
});
