import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.js';
import { openSqlite } from './open-sqlite.js';

it('leaves nothing of the texts of deleted plants in the file', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'plant-store.db');
  const ids = Array.from({ length: 100 }, (_, id) => BigInt(id));
  // Some are so long that they have pages of their own.
  const plants = ids.map((id) => ({
    id,
    name: `secret${id} `.repeat(id % 10n === 0n ? 2_000 : 5),
    tag: 'secret',
  }));
  const filled = await openSqlite(path);
  await filled.plants.insert(plants);
  // This moves the log into the file.
  await filled.close();
  expect(readFileSync(path).includes('secret')).toBe(true);

  const { plants: store, close } = await openSqlite(path);
  await store.insert(ids.map((id) => ({ id, deleted: true })));
  await close();
  expect(readdirSync(folder)).toEqual(['plant-store.db']);
  expect(readFileSync(path).includes('secret')).toBe(false);
});
