import { join } from 'node:path';
import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.js';
import { stored } from '../../plants/plant-store.js';
import { createDurableFactory } from './connections.js';
import { runQuery } from './errors.js';
import { openSqlite } from './open-sqlite.js';
import { createSqlitePlantStore, readDataVersion } from './sqlite-plant-store.js';

it.each([1, 2, 3])('retries no statement but the one that finds the file locked: %d', async (locked) => {
  const path = join(temporaryFolder(), 'plant-store.db');
  await (await openSqlite(path)).close();
  const real = await createDurableFactory(path).connect();
  onTestFinished(() => real.dispose());
  let statements = 0;
  const connection: SqlDriverAdapter = Object.assign(Object.create(real), {
    async queryRaw(query: Parameters<SqlDriverAdapter['queryRaw']>[0]) {
      if (++statements === locked)
        throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' });
      return real.queryRaw(query);
    },
  });
  const store = createSqlitePlantStore(connection, {
    ...{ run: runQuery, runRead: runQuery, syncLog: () => undefined, onDeleted: () => undefined },
    syncedVersion: await readDataVersion(real),
    list: () => Promise.reject(new Error('not used')),
  });
  const [fern, rose] = [
    { id: 1n, name: 'Fern' },
    { id: 2n, name: 'Rose' },
  ];
  const noFern = { id: 1n, deleted: true } as const;
  const existing = { ...fern, name: 'Moss' };
  // Three statements: the plants, what has the id of the second one, and the tombstone.
  expect(await store.insert([fern, existing, rose, noFern, noFern])).toEqual([
    ...[stored, { stored: false, existing: fern }, stored, stored, { stored: false, existing: noFern }],
  ]);
  expect(statements).toBe(4);
});
