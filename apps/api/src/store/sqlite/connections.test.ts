import { copyFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.js';
import { createDurableFactory } from './connections.js';
import { identifyFiles, requireFiles } from './file-identity.js';
import { openSqlite } from './open-sqlite.js';

it('leaves the log of an open file alone when another file is at its path', async () => {
  const path = join(temporaryFolder(), 'plant-store.db');
  const database = await openSqlite(path);
  await database.plants.create([{ id: 1n, name: 'Fern' }]);
  const files = identifyFiles(path);
  const factory = createDurableFactory(path, () => requireFiles(files));
  renameSync(path, `${path}.away`);
  copyFileSync(`${path}.away`, path);
  await expect(factory.connect()).rejects.toThrow(`${path} was replaced by another file`);

  renameSync(`${path}.away`, path);
  expect(identifyFiles(path)).toEqual(files);
  const connection = await factory.connect();
  const { rows } = await connection.queryRaw({ sql: 'SELECT name FROM plants', args: [], argTypes: [] });
  expect(rows).toEqual([['Fern']]);
  await connection.dispose();
  await database.close();
});
