import type { SqlDriverAdapter, SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { isRowRejected } from './errors.js';

/**
 * Inserts a plant and rolls back, then writes to the file and commits, each on a separate connection, so that no other
 * statement can become part of a transaction that fails halfway.
 */
export async function probeCommit(adapter: SqlDriverAdapterFactory): Promise<void> {
  await withConnection(adapter, tryInsert);
  await withConnection(adapter, async (connection) => {
    const { rows } = await connection.queryRaw({ sql: 'PRAGMA user_version', args: [], argTypes: [] });
    // Setting it writes to the file, even if the value does not change.
    const version = Number(rows[0]?.[0]);
    await connection.executeScript(`BEGIN IMMEDIATE; PRAGMA user_version = ${version}; COMMIT`);
  });
}

/**
 * Inserts a plant and rolls back; if it fails, the caller closes the connection. It succeeds when a constraint or trigger
 * of the operator rejects the test plant, since the database has answered.
 */
export async function tryInsert(connection: SqlDriverAdapter): Promise<void> {
  try {
    await connection.executeScript(`
      BEGIN IMMEDIATE;
      INSERT INTO plants (id, name) VALUES (-9223372036854775808, 'trial') ON CONFLICT (id) DO NOTHING;
      ROLLBACK`);
  } catch (error) {
    if (!isRowRejected(error)) throw error;
  }
}

async function withConnection(
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
