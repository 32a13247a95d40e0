import type { SqlDriverAdapter, SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { isRowRejected } from './errors/driver-error.js';

/**
 * Stores a plant and takes it back, then writes to the file and commits, each on a connection of its own: when it fails
 * halfway no other statement is ever part of its transaction. A plant that a constraint or trigger of the operator's
 * refuses passes: the database has answered.
 */
export async function tryCommit(adapter: SqlDriverAdapterFactory): Promise<void> {
  await connect(adapter, async (connection) => {
    try {
      await connection.executeScript(`
        BEGIN IMMEDIATE;
        INSERT INTO plants (id, name) VALUES (-9223372036854775808, 'trial') ON CONFLICT (id) DO NOTHING;
        ROLLBACK`);
    } catch (error) {
      if (!isRowRejected(error)) throw error;
    }
  });
  await connect(adapter, async (connection) => {
    const { rows } = await connection.queryRaw({ sql: 'PRAGMA user_version', args: [], argTypes: [] });
    // Setting it writes to the file, even if it stays the same.
    const version = Number(rows[0]?.[0]);
    await connection.executeScript(`BEGIN IMMEDIATE; PRAGMA user_version = ${version}; COMMIT`);
  });
}

async function connect(
  adapter: SqlDriverAdapterFactory,
  use: (connection: SqlDriverAdapter) => Promise<void>,
): Promise<void> {
  const connection = await adapter.connect();
  try {
    await use(connection);
  } finally {
    await connection.dispose();
  }
}
