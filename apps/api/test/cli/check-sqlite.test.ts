import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createTokenService } from '../../src/auth/token-service.js';
import { readMigrations } from '../../src/store/migrations.js';
import { openTestDatabase } from '../support/database/create-test-database.js';
import { unusableLedgers } from '../support/database/unusable-ledgers.js';
import { examine } from '../support/examine.js';
import { startTestService } from '../support/start-test-service.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const migrations = readMigrations('sqlite').map(({ name }) => name);
const dayMs = 24 * 60 * 60 * 1000;

/** Creates a database with a token, and optionally changes it by SQL. */
async function createStore(sql = ''): Promise<{ readonly path: string; readonly url: string }> {
  const path = join(temporaryFolder(), 'plant-store.db');
  const url = `file:${path}`;
  const database = await openTestDatabase({ url });
  await createTokenService(database.accessTokens).issue({ name: 'shop' });
  await database.close();
  const connection = new Sqlite(path);
  connection.exec(sql);
  connection.close();
  return { path, url };
}

function hashOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

it('finds nothing wrong with a new store, and changes nothing', async () => {
  const { path, url } = await createStore();
  const before = { hash: hashOf(path), ...statSync(path) };
  const found = await examine({ DATABASE_URL: url });
  expect(found('database')).toEqual([`ok: SQLite file ${path}`]);
  expect(found('journal mode')).toEqual(['ok: wal']);
  expect(found('migrations')).toEqual(['ok: up to date']);
  expect(found('write')).toEqual(['ok: a plant can be inserted; it was rolled back']);
  expect(found('access tokens')).toEqual(['ok: 1 valid']);
  expect(found('file access')).toEqual(['ok: this user owns the files, and no other may use them']);
  expect(found('disk space')).toHaveLength(1);
  expect(found('sync time')).toEqual([expect.stringMatching(/^(ok|warning): [\d.]+ ms \(median\)/)]);
  expect({ hash: hashOf(path), mtimeMs: statSync(path).mtimeMs }).toEqual({
    hash: before.hash,
    mtimeMs: before.mtimeMs,
  });
  expect(readdirSync(dirname(path))).toEqual(['plant-store.db']);
});

it('creates no database that is missing, nor its folder', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'data/deep/plant-store.db');
  const found = await examine({ DATABASE_URL: `file:${path}` });
  expect(found('database')).toEqual([expect.stringContaining(`warning: there is no ${path} yet`)]);
  expect(found('file access')).toEqual(['ok: there are no files yet']);
  expect(found('file system')).toEqual([expect.stringContaining(folder)]);
  expect(readdirSync(folder)).toEqual([]);
});

it('examines the store of a service that is running', async () => {
  const service = await startTestService();
  const found = await examine({ DATABASE_URL: service.database.url });
  expect(found('access tokens')).toEqual(['ok: 1 valid']);
  expect(found('write')).toEqual(['ok: a plant can be inserted; it was rolled back']);
  await service.stop();
});

it('applies no pending migrations, and reports them', async () => {
  const { path, url } = await createStore('DELETE FROM _prisma_migrations');
  const found = await examine({ DATABASE_URL: url });
  expect(found('migrations')).toEqual([
    expect.stringContaining(`warning: pending: ${migrations.join(', ')}. serve applies`),
  ]);
  expect(found('write')).toEqual([]);
  expect(found('access tokens')).toEqual([]);
  const connection = new Sqlite(path);
  expect(connection.prepare('SELECT count(*) AS count FROM _prisma_migrations').get()).toEqual({ count: 0 });
  connection.close();
});

it.each(unusableLedgers)('reports a database of %s', async (_, sql, message) => {
  const { url } = await createStore(sql);
  const found = await examine({ DATABASE_URL: url });
  expect(found('migrations')).toEqual([expect.stringMatching(/^error: /)]);
  expect(found('migrations')[0]).toContain(message);
});

it('reports a file that is no database', async () => {
  const path = join(temporaryFolder(), 'notes.txt');
  writeFileSync(path, 'This is a text of more than one hundred bytes, '.repeat(100), { mode: 0o600 });
  const found = await examine({ DATABASE_URL: `file:${path}` });
  expect(found('database')).toEqual([expect.stringMatching(/^error: .* is damaged, or is not a database/)]);
});

it('reports a database that another program has locked', async () => {
  const { path, url } = await createStore();
  const other = new Sqlite(path);
  onTestFinished(() => void other.close());
  other.exec('BEGIN IMMEDIATE');
  const found = await examine({ DATABASE_URL: url });
  expect(found('write')).toEqual([expect.stringMatching(/^error: .* another process has locked it/)]);
});

it('reports a table that rejects every insert, as one without its columns', async () => {
  const { url } = await createStore('ALTER TABLE plants RENAME COLUMN name TO title');
  expect((await examine({ DATABASE_URL: url }))('write')).toEqual([expect.stringMatching(/^error: .*name/)]);
});

it('warns of another journal mode', async () => {
  const { url } = await createStore('PRAGMA journal_mode = DELETE');
  const found = await examine({ DATABASE_URL: url });
  expect(found('journal mode')).toEqual([expect.stringContaining('warning: delete instead of wal')]);
});

it('warns of files that others may read, and reports a folder that others may write to', async () => {
  const { path, url } = await createStore();
  const open = new Sqlite(path);
  onTestFinished(() => void open.close());
  open.prepare('SELECT count(*) FROM plants').get();
  for (const file of [path, `${path}-wal`, `${path}-shm`]) chmodSync(file, 0o640);
  chmodSync(dirname(path), 0o777);
  const found = (await examine({ DATABASE_URL: url }))('file access');
  expect(found).toHaveLength(4);
  expect(found[0]).toContain(`warning: other users may use ${path}, which has mode 0640`);
  expect(found[2]).toContain(`chmod 600 ${path}-shm`);
  expect(found[3]).toContain(`error: every user may replace the files in ${dirname(path)}`);
  chmodSync(dirname(path), 0o1777);
  expect((await examine({ DATABASE_URL: url }))('file access')).toHaveLength(3);
});

it('warns when another user owns the files', async () => {
  const { path, url } = await createStore();
  const { uid } = statSync(path);
  vi.spyOn(process, 'getuid').mockReturnValue(uid + 1);
  onTestFinished(() => void vi.restoreAllMocks());
  expect((await examine({ DATABASE_URL: url }))('file access')).toEqual([
    expect.stringContaining(`warning: ${path} belongs to the user with the id ${uid}`),
  ]);
});

it('reports a folder in which this user may not write', async () => {
  const folder = join(temporaryFolder(), 'closed');
  mkdirSync(folder);
  chmodSync(join(folder, '..'), 0o755);
  chmodSync(folder, 0o555);
  const found = await asOrdinaryUser(() => examine({ DATABASE_URL: `file:${folder}/plant-store.db` }));
  expect(found('sync time')).toEqual([
    expect.stringMatching(/^error: no file can be written in .*closed, as SQLite does: EACCES/),
  ]);
});

it('warns of tokens that expire soon, and of a store without valid ones', async () => {
  const { url } = await createStore();
  const database = await openTestDatabase({ url });
  const accessTokens = createTokenService(database.accessTokens);
  const soon = new Date(Date.now() + dayMs);
  await accessTokens.issue({ name: 'page', expiresAt: soon });
  await accessTokens.revoke(1);
  await database.close();
  expect((await examine({ DATABASE_URL: url }))('access tokens')).toEqual([
    expect.stringContaining(`warning: 1 valid, of which "page" (2) expires ${soon.toISOString()}`),
  ]);
  const inTwoDays = () => Date.now() + 2 * dayMs;
  expect((await examine({ DATABASE_URL: url }, inTwoDays))('access tokens')).toEqual([
    expect.stringContaining('warning: there is none that is valid'),
  ]);
});

/** Root may write everywhere, so for it the user is changed meanwhile. */
async function asOrdinaryUser<Result>(action: () => Promise<Result>): Promise<Result> {
  if (process.geteuid?.() !== 0) return action();
  process.seteuid?.('nobody');
  try {
    return await action();
  } finally {
    process.seteuid?.(0);
  }
}
