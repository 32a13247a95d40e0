import { statSync } from 'node:fs';
import { join } from 'node:path';
import { scopes } from '@plant-store/contract/access-token';
import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.js';
import { createFactory } from './connections.js';
import { openSqlite, recordUses } from './open-sqlite.js';

/** The value of `PRAGMA synchronous` with which a commit syncs nothing in WAL mode, but a checkpoint does. */
const normal = 1;

it('waits for no disk, and leaves a long write-ahead log to the checkpointer', async () => {
  const path = join(temporaryFolder(), 'plant-store.db');
  const database = await openSqlite(path);
  const { id } = await database.accessTokens.add({ name: 'shop', hash: 'a', scopes, expiresAt: null });
  // More than the 1,000 pages at which SQLite itself would checkpoint. Not through the store, whose checkpointer would begin.
  const writer = new Sqlite(path);
  writer.pragma('wal_autocheckpoint = 0');
  writer.prepare('INSERT INTO plants (id, name) VALUES (1, ?)').run('x'.repeat(5 * 1_024 * 1_024));
  const { size } = statSync(path);

  const settings: unknown[] = [];
  const factory = createFactory(path);
  const watched: SqlDriverAdapterFactory = {
    provider: factory.provider,
    adapterName: factory.adapterName,
    async connect() {
      const connection = await factory.connect();
      const dispose = connection.dispose.bind(connection);
      connection.dispose = async () => {
        const query = { sql: 'PRAGMA synchronous', args: [], argTypes: [] };
        settings.push((await connection.queryRaw(query)).rows[0]?.[0]);
        await dispose();
      };
      return connection;
    },
  };
  const at = new Date('2026-03-04T05:06:07.890Z');
  await recordUses(watched, [{ id, at }]);
  expect(settings).toEqual([normal]);
  expect(statSync(path).size).toBe(size);
  expect(await database.accessTokens.list()).toMatchObject([{ lastUsedAt: at }]);
  writer.close();
  await database.close();
});
