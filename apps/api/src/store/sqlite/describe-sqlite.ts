import { findPending, readMigrations } from '../migrations.js';
import { createFactory, withConnection } from './connections.js';
import { ledgerOfSqlite } from './migrate-sqlite.js';

/** The names of the migrations that a database lacks. */
export function findPendingNames(path: string): Promise<readonly string[]> {
  return withConnection(createFactory(path), async (connection) => {
    const pending = await findPending(ledgerOfSqlite(connection), readMigrations('sqlite'));
    return pending.map(({ name }) => name);
  });
}

/** How many tokens of a database are not revoked. */
export function countTokens(path: string): Promise<number> {
  return withConnection(createFactory(path), async (connection) => {
    const sql = 'SELECT count(*) FROM access_tokens WHERE revoked_at IS NULL';
    const { rows } = await connection.queryRaw({ sql, args: [], argTypes: [] });
    return Number(rows[0]?.[0]);
  });
}
