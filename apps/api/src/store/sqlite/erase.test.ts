import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.js';
import { until } from '../../../test/support/until.js';
import * as checkpointer from './checkpointer.js';
import { openSqlite } from './open-sqlite.js';

const ids = Array.from({ length: 100 }, (_, id) => BigInt(id));
// Some are so long that they have pages of their own.
const plants = ids.map((id) => ({
  id,
  name: `secret${id} `.repeat(id % 10n === 0n ? 2_000 : 5),
  tag: 'secret',
}));

it('leaves nothing of the texts of deleted plants in the file', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'plant-store.db');
  const filled = await openSqlite(path);
  await filled.plants.create(plants);
  // This moves the log into the file.
  await filled.close();
  expect(readFileSync(path).includes('secret')).toBe(true);

  const { plants: store, close } = await openSqlite(path);
  await store.remove(ids);
  await close();
  expect(readdirSync(folder)).toEqual(['plant-store.db']);
  expect(readFileSync(path).includes('secret')).toBe(false);
});

it('leaves nothing of them in the log while the database is open', async () => {
  const { startCheckpointer } = checkpointer;
  vi.spyOn(checkpointer, 'startCheckpointer').mockImplementationOnce((files, options) =>
    startCheckpointer(files, { ...options, truncateIntervalMs: 0 }),
  );
  const path = join(temporaryFolder(), 'plant-store.db');
  const readLog = () => readFileSync(`${path}-wal`);
  const database = await openSqlite(path);
  await database.plants.create([{ id: -1n, name: 'kept' }]);
  // The first truncation, after the start, is over.
  await until(() => readLog().length === 0);
  await database.plants.create(plants);
  expect(readLog().includes('secret')).toBe(true);
  await database.plants.remove(ids);
  await until(() => readLog().length === 0);
  expect(readFileSync(`${path}-shm`).includes('secret')).toBe(false);
  // Nothing is left in the log that closing it could move.
  await database.close();
  const file = readFileSync(path);
  expect(file.includes('kept')).toBe(true);
  expect(file.includes('secret')).toBe(false);
});
