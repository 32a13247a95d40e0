import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { scopes } from '@plant-store/contract/access-token';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.js';
import type { Database } from '../database.js';
import { openSqlite } from './open-sqlite.js';

let folder = '';
let path = '';
let database: Database;
/** The files that the service itself synced to disk, as opposed to SQLite at its commits. */
let synced: string[] = [];

beforeEach(async () => {
  folder = temporaryFolder();
  path = join(folder, 'plant-store.db');
  const { openSync } = fs;
  const opened = new Map<number, string>();
  vi.spyOn(fs, 'openSync').mockImplementation((file, ...rest) => {
    const descriptor = openSync(file, ...rest);
    opened.set(descriptor, String(file));
    return descriptor;
  });
  vi.spyOn(fs, 'fsyncSync').mockImplementation((descriptor) => {
    synced.push(opened.get(descriptor) ?? 'unknown');
  });
  syncBuiltinESMExports();
  database = await openSqlite(path);
  synced = [];
});
afterEach(async () => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  await database.close();
});

const fern = { id: 1n, name: 'Fern' };
const monstera = { id: 2n, name: 'Monstera' };

it('syncs an existing log at the start, and its folder', async () => {
  // While another process has the file open, nothing else syncs the log.
  const other = await openSqlite(path);
  expect(synced).toEqual([`${path}-wal`, folder]);
  await other.close();
});

it('syncs the log before it reports that a plant exists', async () => {
  const other = new Sqlite(path);
  other.exec(`PRAGMA synchronous = OFF; INSERT INTO plants (id, name) VALUES (1, 'Fern')`);
  expect(await database.plants.create([fern])).toEqual([{ stored: false, existing: fern }]);
  expect(synced).toEqual([`${path}-wal`]);
  other.close();
});

it('syncs the log before it shows a plant that another connection may have stored, and not again before the next', async () => {
  const other = new Sqlite(path);
  other.exec(`PRAGMA synchronous = OFF; INSERT INTO plants (id, name) VALUES (1, 'Fern')`);
  const list = () => database.plants.list({ order: 'id' }, { matches: 1, plants: 1, bytes: 1 });
  expect(await database.plants.find([1n])).toEqual([fern]);
  expect(await database.plants.find([1n, 2n])).toEqual([fern]);
  expect((await list()).plants).toEqual([fern]);
  expect(synced).toEqual([`${path}-wal`]);
  other.exec(`INSERT INTO plants (id, name) VALUES (2, 'Monstera')`);
  await list();
  expect(synced).toEqual([`${path}-wal`, `${path}-wal`]);
  other.close();
});

it('syncs the log before it reports that a token, or its revocation, exists', async () => {
  const { accessTokens } = database;
  const times = { scopes, createdAt: new Date(), expiresAt: null, revokedAt: null, lastUsedAt: null };
  const token = { name: 'shop', hash: 'a', ...times };
  expect(await accessTokens.takeOver(token)).toBe(true);
  expect(synced).toEqual([]);
  expect(await accessTokens.takeOver(token)).toBe(false);
  expect(synced).toEqual([`${path}-wal`]);

  const id = (await accessTokens.findByHash('a'))?.id ?? 0;
  const revokedAt = new Date();
  await accessTokens.revoke(id, revokedAt);
  expect(synced).toHaveLength(1);
  expect(await accessTokens.revoke(id, new Date())).toMatchObject({ revokedAt });
  expect(synced).toEqual([`${path}-wal`, `${path}-wal`]);
});

it('leaves the syncing of its own commits to SQLite', async () => {
  // Before the first read others may have written to it.
  await database.plants.find([]);
  synced = [];
  expect(await database.plants.create([fern])).toEqual([{ stored: true }]);
  expect(await database.plants.create([fern, monstera])).toEqual([
    { stored: false, existing: { ...fern, addedAt: expect.any(Number) } },
    { stored: true },
  ]);
  expect(await database.plants.remove([1n, 1n])).toEqual(['removed', 'removed_before']);
  expect(synced).toEqual([]);
});

it('acknowledges nothing that it cannot sync', async () => {
  const other = new Sqlite(path);
  other.exec(`PRAGMA synchronous = OFF; INSERT INTO plants (id, name) VALUES (1, 'Fern')`);
  onTestFinished(() => void other.close());
  vi.spyOn(fs, 'fsyncSync').mockImplementation(() => {
    throw new Error('EIO: i/o error, fsync');
  });
  syncBuiltinESMExports();
  const { plants } = database;
  for (const read of [() => plants.create([fern]), () => plants.remove([2n]), () => plants.find([1n])]) {
    await expect(read()).rejects.toMatchObject({
      errorName: 'database_unavailable',
      cause: { message: 'EIO: i/o error, fsync' },
    });
  }
});
