import type { ClientBase } from 'pg';
import type { PostgresqlLocation } from '../../database/database-location.js';
import { findPendingMigrations } from '../../database/migrations/migration-ledger.js';
import { readMigrations } from '../../database/migrations/read-migrations.js';
import { checkSchema, readLedger } from '../../database/postgresql/migrate-postgresql.js';
import { checkEncoding } from '../../database/postgresql/open-postgresql.js';
import { failure, type Item } from '../finding.js';
import { describePending } from '../migrations.js';
import type { PostgresqlContext } from './postgresql-context.js';
import { queryRow } from './query-row.js';

/** Whether the tables are those of this version, or this user may create them. */
export const migrations: Item<PostgresqlContext> = {
  name: 'migrations',
  async inspect({ connection, location }) {
    await checkEncoding(connection);
    const pending = await findPending(connection, location);
    if (pending.length === 0 || (await mayCreate(connection, location.schema)))
      return describePending(pending);
    return failure(
      `pending: ${pending.join(', ')}, and this user may not create tables in the schema ${location.schema}`,
      `GRANT CREATE ON SCHEMA ${location.schema}, or on the database if the schema does not exist, to the user; or apply them as its owner by plant-store migrate.`,
    );
  },
};

/**
 * The names of the pending migrations.
 *
 * @throws {OperatorError} when the schema belongs to another program, or the ledger does not match this version
 */
export async function findPending(
  connection: ClientBase,
  { schema }: PostgresqlLocation,
): Promise<readonly string[]> {
  await checkSchema(connection, schema);
  const ledger = (await readLedger(connection, schema)) ?? [];
  return findPendingMigrations(readMigrations('postgresql'), ledger).map(({ name }) => name);
}

async function mayCreate(connection: ClientBase, schema: string): Promise<boolean> {
  const name = connection.escapeLiteral(schema);
  const { allowed } = await queryRow<{ allowed: boolean }>(
    connection,
    `SELECT CASE WHEN to_regnamespace(${name}) IS NULL
       THEN has_database_privilege(current_database(), 'CREATE')
       ELSE has_schema_privilege(${name}, 'CREATE') END AS allowed`,
  );
  return allowed;
}
