import fs, { readdirSync, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { scopes } from '@plant-store/contract/access-token';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectToSqlite, openSqliteFile } from '../../../test/support/database/open-sqlite-file.js';
import { removeFrom } from '../../../test/support/plants/remove-from.js';
import { until } from '../../../test/support/until.js';
import { operator } from '../../runtime/operator.js';
import * as checkpointer from './checkpointer.js';
import { openSqlite } from './open-sqlite.js';

const fern = { id: 1n, name: 'Fern' };
const rose = { id: 2n, name: 'Rose' };
const stored = { stored: true, addedAt: expect.any(Number) };
const taken = (existing: object) => ({ stored: false, existing });
const list = async ({ store }: Pick<Awaited<ReturnType<typeof openSqliteFile>>, 'store'>) =>
  (await store.list({ order: 'id' }, { matches: 10, bytes: 1_000 })).records;

it('waits while another process has locked the file, and then stores and removes each record once, in order', async () => {
  const { path, store } = await openSqliteFile();
  const other = connectToSqlite(path);
  const whileLocked = <Result>(write: () => Promise<Result>) => {
    other.exec('BEGIN IMMEDIATE');
    setTimeout(() => other.exec('COMMIT'), 100);
    return write();
  };
  const created = await whileLocked(() => store.create([fern, { ...fern, name: 'Moss' }, rose]));
  expect(created).toMatchObject([stored, taken(fern), stored]);
  const removed = await whileLocked(() => removeFrom(store, [1n, 3n, 1n]));
  expect(removed).toEqual(['removed', 'unknown', 'removed_before']);
});

const notStored = 'The record 2 was not stored, and no row has its id';
const notRemoved = 'The record 1 was not changed';
const insertOfRose = 'INSERT ON plants WHEN NEW.id = 2';

describe.each([0, 40])('beside %i other plants of a call', (count) => {
  const others = Array.from({ length: count }, (_, at) => ({ id: BigInt(100 + at), name: 'x' }));

  it.each([
    ['skips a plant', insertOfRose, 'IGNORE', notStored],
    ['rejects a plant', insertOfRose, "ABORT, 'no roses'", 'SQLITE_CONSTRAINT_TRIGGER: no roses'],
    ['ends a transaction', insertOfRose, "ROLLBACK, 'all undone'", 'all undone'],
    ['keeps a plant that is removed', 'DELETE ON plants WHEN OLD.id = 1', 'IGNORE', notRemoved],
    ['skips a tombstone', 'INSERT ON plants WHEN NEW.id = 1', 'IGNORE', notRemoved],
  ])('changes nothing for a batch of which a trigger %s', async (_, event, action, message) => {
    const { path, store } = await openSqliteFile();
    const ivy = { id: 3n, name: 'Ivy' };
    const oak = { id: 4n, name: 'Oak' };
    await store.create([fern, ivy]);
    connectToSqlite(path).exec(`CREATE TRIGGER t BEFORE ${event} BEGIN SELECT RAISE(${action}); END`);
    const write =
      message === notRemoved ? removeFrom(store, [3n, 1n]) : store.create([oak, ...others, rose, ...others]);
    await expect(write).rejects.toThrow(message);
    expect(await store.find([1n, 2n, 3n, 4n])).toMatchObject([fern, ivy]);
    expect(await store.find(others.map(({ id }) => id))).toEqual([]);
    expect(await store.create([oak])).toEqual([stored]);
    expect(await removeFrom(store, [3n])).toEqual(['removed']);
  });
});

it('lists again after an error, on a new connection', async () => {
  const opened = await openSqliteFile();
  await opened.store.create([fern]);
  expect(await list(opened)).toMatchObject([fern]);
  const other = connectToSqlite(opened.path);
  other.exec('ALTER TABLE plants RENAME TO moved');
  await expect(list(opened)).rejects.toThrow('no such table');
  other.exec('ALTER TABLE moved RENAME TO plants');
  expect(await list(opened)).toMatchObject([fern]);
});

it('numbers rows that another program inserts, before a list or a count needs the numbers', async () => {
  const { path, store } = await openSqliteFile();
  await store.create([{ id: 0n, name: 'Rose' }]);
  const other = connectToSqlite(path);
  const insert = (first: number, last: number) =>
    other.exec(`INSERT INTO plants (id, name) WITH RECURSIVE ids (id) AS (VALUES (${first}) UNION ALL SELECT id + 1 FROM ids
      WHERE id < ${last}) SELECT id, 'Fern' FROM ids`);
  insert(1, 2_500);
  expect(await store.countAll({ q: 'fern' })).toMatchObject({ count: 2_500, isEstimate: false });
  insert(2_501, 2_502);
  const { last } = await store.listChanges(undefined, { matches: 2_501, bytes: 1e6 });
  const { changes } = await store.listChanges(last, { matches: 10, bytes: 1e6 });
  expect(changes.map(({ record: { id } }) => id)).toEqual([2_501n, 2_502n]);
});

describe('syncs to disk', () => {
  let opened: Awaited<ReturnType<typeof openSqliteFile>>;
  let log = '';
  /** The files that the service itself synced to disk, not SQLite. */
  let synced: string[] = [];

  beforeEach(async () => {
    const { openSync } = fs;
    const paths = new Map<number, string>();
    vi.spyOn(fs, 'openSync').mockImplementation((file, ...rest) => {
      const descriptor = openSync(file, ...rest);
      paths.set(descriptor, String(file));
      return descriptor;
    });
    vi.spyOn(fs, 'fsyncSync').mockImplementation((descriptor) => {
      synced.push(paths.get(descriptor) ?? 'unknown');
    });
    syncBuiltinESMExports();
    opened = await openSqliteFile();
    log = `${opened.path}-wal`;
    synced = [];
  });
  afterEach(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });

  /** Connects like another program that does not sync its commits. */
  function connectWithoutSync() {
    const other = connectToSqlite(opened.path);
    other.exec(`PRAGMA synchronous = OFF; INSERT INTO plants (id, name) VALUES (1, 'Fern')`);
    return other;
  }

  it('an existing log at the start, and its folder', async () => {
    // While another process has the file open, nothing else syncs the log.
    const other = await openSqlite(opened.path);
    expect(synced).toEqual([log, opened.folder]);
    await other.close();
  });

  it('the log before it reports that a plant exists', async () => {
    connectWithoutSync();
    expect(await opened.store.create([fern])).toEqual([taken(fern)]);
    expect(synced).toEqual([log]);
  });

  it('the log before it shows a plant that another connection may have stored, and not again before the next', async () => {
    const { store } = opened;
    const other = connectWithoutSync();
    expect(await store.find([1n])).toEqual([fern]);
    expect(await store.find([1n, 2n])).toEqual([fern]);
    expect(await list(opened)).toEqual([fern]);
    expect(synced).toEqual([log]);
    other.exec(`INSERT INTO plants (id, name) VALUES (2, 'Rose')`);
    await list(opened);
    expect(synced).toEqual([log, log]);
  });

  it('the log before it reports that a token, or its revocation, exists', async () => {
    const { accessTokens } = opened.database;
    const times = { scopes, createdAt: new Date(), expiresAt: null, revokedAt: null, lastUsedAt: null };
    const token = { name: 'shop', hash: 'a', ...times };
    expect(await accessTokens.importToken(token, operator())).toBe(true);
    expect(synced).toEqual([]);
    expect(await accessTokens.importToken(token, operator())).toBe(false);
    expect(synced).toEqual([log]);

    const id = (await accessTokens.findByHash('a'))?.id ?? 0;
    const revokedAt = new Date();
    await accessTokens.revoke(id, revokedAt);
    expect(synced).toHaveLength(1);
    expect(await accessTokens.revoke(id, new Date())).toMatchObject({ revokedAt });
    expect(synced).toEqual([log, log]);
  });

  it('nothing after its own commits, which SQLite syncs', async () => {
    const { store } = opened;
    // Other connections may have written before the first read.
    await store.find([]);
    synced = [];
    expect(await store.create([fern])).toEqual([stored]);
    expect(await store.create([fern, rose])).toMatchObject([taken(fern), stored]);
    expect(await removeFrom(store, [1n, 1n])).toEqual(['removed', 'removed_before']);
    expect(synced).toEqual([]);
  });

  it('or acknowledges nothing', async () => {
    connectWithoutSync();
    vi.spyOn(fs, 'fsyncSync').mockImplementation(() => {
      throw new Error('EIO: i/o error, fsync');
    });
    syncBuiltinESMExports();
    const { store } = opened;
    const error = { errorName: 'database_unavailable', cause: { message: 'EIO: i/o error, fsync' } };
    await expect(store.create([fern])).rejects.toMatchObject(error);
    await expect(removeFrom(store, [2n])).rejects.toMatchObject(error);
    await expect(store.find([1n])).rejects.toMatchObject(error);
  });
});

describe('overwrites the texts of deleted plants', () => {
  const ids = Array.from({ length: 100 }, (_, id) => BigInt(id));
  // Some are long enough to need overflow pages.
  const nameOf = (id: bigint) => `secret${id} `.repeat(id % 10n === 0n ? 2_000 : 5);
  const plants = ids.map((id) => ({ id, name: nameOf(id), tag: 'secret' }));

  it('in the file', async () => {
    const { folder, path, store, database } = await openSqliteFile();
    await store.create(plants);
    // This moves the log into the file.
    await database.close();
    expect(readFileSync(path).includes('secret')).toBe(true);

    const again = await openSqlite(path);
    await removeFrom(again.stores.plant, ids);
    await again.close();
    expect(readdirSync(folder)).toEqual(['plant-store.db']);
    expect(readFileSync(path).includes('secret')).toBe(false);
  });

  it('in the log while the database is open', async () => {
    const { createCheckpointer } = checkpointer;
    vi.spyOn(checkpointer, 'createCheckpointer').mockImplementationOnce((files, options) =>
      createCheckpointer(files, { ...options, truncateIntervalMs: 0 }),
    );
    const { path, store, database } = await openSqliteFile();
    const readLog = () => readFileSync(`${path}-wal`);
    await store.create([{ id: -1n, name: 'kept' }]);
    // The first truncation, after the start, is over.
    await until(() => readLog().length === 0);
    await store.create(plants);
    expect(readLog().includes('secret')).toBe(true);
    await removeFrom(store, ids);
    await until(() => readLog().length === 0);
    expect(readFileSync(`${path}-shm`).includes('secret')).toBe(false);
    // Nothing is left in the log that closing it could move.
    await database.close();
    const file = readFileSync(path);
    expect(file.includes('kept')).toBe(true);
    expect(file.includes('secret')).toBe(false);
  });
});
