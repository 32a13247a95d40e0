import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { beforeEach, expect, it } from 'vitest';
import { collect } from '../../../test/support/collect.js';
import { temporaryFolder } from '../../../test/support/temporary-folder.js';
import { until } from '../../../test/support/until.js';
import { enableMmap, openConnection } from './connections.js';
import { openSqlite } from './open-sqlite.js';

/** The memory mappings of this process. Only Linux has this file; CI runs on Linux. */
const maps = '/proc/self/maps';

let folder = '';
let path = '';

beforeEach(() => {
  folder = realpathSync(temporaryFolder());
  path = join(folder, 'plant-store.db');
});

/** How many bytes of the file are mapped into the memory of this process. */
function countMapped(): number {
  const ranges = readFileSync(maps, 'utf8')
    .split('\n')
    .filter((line) => line.endsWith(` ${path}`))
    .map((line) => /^([0-9a-f]+)-([0-9a-f]+) /.exec(line) ?? []);
  return ranges.reduce((total, [, from, to]) => total + Number(`0x${to}`) - Number(`0x${from}`), 0);
}

// Linux, where CI runs, lists what is mapped.
it.runIf(existsSync(maps))('maps the file, and maps it again as it grows', async () => {
  await (await openSqlite(path)).close();
  const connection = openConnection(path);
  const grow = enableMmap(connection, 10);
  const atFirst = statSync(path).size;
  expect(countMapped()).toBe(atFirst);

  connection.exec(`
    WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < 10000)
    INSERT INTO plants (id, name) SELECT id, 'x' FROM ids`);
  const checkpointer = new Sqlite(path);
  checkpointer.pragma('wal_checkpoint');
  checkpointer.close();
  grow(9);
  expect(countMapped()).toBe(atFirst);
  grow(1);
  expect(countMapped()).toBe(statSync(path).size);
  expect(statSync(path).size).toBeGreaterThan(2 * atFirst);
  connection.close();
});

// Linux, where CI runs, lists what is mapped.
it.runIf(existsSync(maps))(
  'maps the file of an open store, and maps it again as plants are inserted',
  async () => {
    const database = await openSqlite(path);
    const atFirst = countMapped();
    expect(atFirst).toBe(statSync(path).size);
    let id = 0n;
    // As many as needed, since the checkpoints may lag behind.
    await until(async () => {
      await database.plants.create(Array.from({ length: 1_000 }, () => ({ id: ++id, name: 'x' })));
      return countMapped() > atFirst;
    });
    await database.close();
    expect(countMapped()).toBe(0);
  },
);

it('reads correctly after another process has written to the file, or truncated it', async () => {
  const database = await openSqlite(path);
  const other = new Sqlite(path);
  const insert = other.prepare('INSERT INTO plants (id, name) VALUES (?, ?)');
  for (let id = 1; id <= 100; id++) insert.run(id, 'x'.repeat(10_000));
  other.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const all = { plants: 1_000, bytes: 1e7 };
  expect((await collect(database.plants.read(undefined, all))).flat()).toHaveLength(100);
  other.exec('DELETE FROM plants WHERE id > 1; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)');
  expect(statSync(path).size).toBeLessThan(100_000);
  expect((await collect(database.plants.read(undefined, all))).flat()).toHaveLength(1);
  other.close();
  await database.close();
});
