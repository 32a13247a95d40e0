import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';

/**
 * Stores a plant and takes it back, then writes to the file and commits, on a connection of its own: when it fails halfway
 * no other statement is ever part of its transaction.
 */
export async function tryCommit(adapter: SqlDriverAdapterFactory): Promise<void> {
  const connection = await adapter.connect();
  try {
    const { rows } = await connection.queryRaw({ sql: 'PRAGMA user_version', args: [], argTypes: [] });
    await connection.executeScript(`
      BEGIN IMMEDIATE;
      SAVEPOINT trial;
      INSERT INTO plants (id, name) VALUES (-9223372036854775808, 'trial') ON CONFLICT (id) DO NOTHING;
      ROLLBACK TO trial;
      -- Setting it writes to the file, even if it stays the same.
      PRAGMA user_version = ${Number(rows[0]?.[0])};
      COMMIT`);
  } finally {
    await connection.dispose();
  }
}
