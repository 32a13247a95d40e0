import { copyFileSync, existsSync, readFileSync, renameSync, statSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { collect } from '../../../test/support/collect.js';
import { connectToSqlite, openSqliteFile } from '../../../test/support/database/open-sqlite-file.js';
import { plantsOf } from '../../../test/support/plants/plants-of.js';
import { until } from '../../../test/support/until.js';
import { durablePragmas, openConnection } from './connections.js';
import { identifyFiles, requireFiles } from './file-identity.js';
import * as sqliteStore from './sqlite-store.js';

it('commits with a write-ahead log that is synced at every commit', async () => {
  const { path } = await openSqliteFile();
  const connection = openConnection(path, durablePragmas);
  // 2 is FULL (https://www.sqlite.org/pragma.html#pragma_synchronous).
  const settings = { synchronous: 2, journal_mode: 'wal', foreign_keys: 1, secure_delete: 1, fullfsync: 1 };
  for (const [name, value] of Object.entries(settings))
    expect(connection.pragma(name, { simple: true })).toBe(value);
  connection.close();
});

it('leaves the log of an open file alone when another file is at its path', async () => {
  const { path, store } = await openSqliteFile();
  await store.create([{ id: 1n, name: 'Fern' }]);
  const files = identifyFiles(path);
  const open = () => openConnection(path, durablePragmas, () => requireFiles(files));
  renameSync(path, `${path}.away`);
  copyFileSync(`${path}.away`, path);
  expect(open).toThrow(`${path} was replaced by another file`);

  renameSync(`${path}.away`, path);
  expect(identifyFiles(path)).toEqual(files);
  const connection = open();
  expect(connection.prepare('SELECT name FROM plants').pluck().all()).toEqual(['Fern']);
  connection.close();
});

/** The memory mappings of this process. */
const maps = '/proc/self/maps';

/** How many bytes of a file are mapped into the memory of this process. */
function countMapped(path: string): number {
  const ranges = readFileSync(maps, 'utf8').matchAll(/^([0-9a-f]+)-([0-9a-f]+) .* (\S+)$/gm);
  const sizes = [...ranges].map(([, from, to, file]) =>
    file === path ? Number(`0x${to}`) - Number(`0x${from}`) : 0,
  );
  return sizes.reduce((total, size) => total + size, 0);
}

// Linux, where CI runs, lists what is mapped.
it.runIf(existsSync(maps))(
  'the file of an open store is mapped, and again as plants are inserted',
  async () => {
    const { createSqliteStores } = sqliteStore;
    vi.spyOn(sqliteStore, 'createSqliteStores').mockImplementationOnce((options) =>
      createSqliteStores({ ...options, writesPerMap: 500 }),
    );
    const { path, database, store } = await openSqliteFile();
    const atFirst = countMapped(path);
    expect(atFirst).toBe(statSync(path).size);
    let id = 0;
    // As many as needed, since the checkpoints may lag behind.
    await until(async () => {
      await store.create(plantsOf(...Array.from({ length: 200 }, () => ++id)));
      return countMapped(path) > atFirst;
    });
    await database.close();
    expect(countMapped(path)).toBe(0);
  },
);

it('reads correctly after another process has written to the file, or truncated it', async () => {
  const { path, store } = await openSqliteFile();
  const other = connectToSqlite(path);
  const insert = other.prepare('INSERT INTO plants (id, name) VALUES (?, ?)');
  for (let id = 1; id <= 100; id++) insert.run(id, 'x'.repeat(10_000));
  other.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const readAll = async () => (await collect(store.read(undefined, { records: 1_000, bytes: 1e7 }))).flat();
  expect(await readAll()).toHaveLength(100);
  other.exec('DELETE FROM plants WHERE id > 1; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)');
  expect(statSync(path).size).toBeLessThan(100_000);
  expect(await readAll()).toHaveLength(1);
});
