import type { ClientBase } from 'pg';
import { messageOf } from '../errors/operator-error.js';
import type { PostgresqlLocation } from '../store/database-location.js';
import { findPendingMigrations, readMigrations } from '../store/migrations.js';
import { checkTables } from '../store/postgresql/check-tables.js';
import { checkSchema, readLedger } from '../store/postgresql/migrate-postgresql.js';
import { checkEncoding } from '../store/postgresql/open-postgresql.js';
import { tryInsert } from '../store/postgresql/probe-commit.js';
import { assessTokens, describePending, selectTokens } from './access-tokens.js';
import { failure, type Item, ok } from './finding.js';
import { type PostgresqlContext, queryRow } from './postgresql-context.js';
import { idsOnPresentNodes } from './postgresql-nodes.js';

/** Whether the migrations have created the tables; otherwise there is nothing to examine. */
const hasTables = ({ pending }: PostgresqlContext) => pending?.length === 0;

/** Whether the user may do what the service and the commands do with the tables, which must not have been changed. */
export const privileges: Item<PostgresqlContext> = {
  name: 'privileges',
  async inspect(context) {
    if (!hasTables(context)) return [];
    await checkTables(context.connection);
    const { missing } = await queryRow<{ missing: readonly string[] }>(context.connection, selectMissing);
    if (missing.length === 0) return ok('those on plants and access_tokens are granted');
    return failure(
      `the user may not ${missing.join(', ')} access_tokens, so tokens cannot be checked, issued or revoked`,
      'GRANT SELECT, INSERT, UPDATE ON access_tokens to the user, and USAGE on the sequence of its id.',
    );
  },
};

const selectMissing = `
  SELECT ARRAY(
    SELECT privilege FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE']) AS privilege
    WHERE NOT has_table_privilege('access_tokens', privilege)
    UNION ALL
    SELECT 'use the sequence of' WHERE pg_get_serial_sequence('access_tokens', 'id') IS NOT NULL
      AND NOT has_sequence_privilege(pg_get_serial_sequence('access_tokens', 'id'), 'USAGE')
  ) AS missing`;

export const accessTokens: Item<PostgresqlContext> = {
  name: 'access tokens',
  async inspect(context) {
    if (!hasTables(context)) return [];
    const { rows } = await context.connection.query<{ id: number; name: string; expires_at: Date | null }>(
      selectTokens,
    );
    const tokens = rows.map(({ id, name, expires_at: expiresAt }) => ({ id, name, expiresAt }));
    return assessTokens(tokens, context);
  },
};

/** Where plants are distributed, one is inserted on each node that runs; the item `nodes` reports the others. */
export const write: Item<PostgresqlContext> = {
  name: 'write',
  async inspect(context) {
    if (!hasTables(context)) return [];
    const { connection, distribution } = context;
    const ids = distribution === undefined ? [undefined] : idsOnPresentNodes(distribution);
    if (ids.length === 0) return failure('no node that has plants runs');
    try {
      for (const id of ids) await tryInsert(connection, id);
      return ok(
        `a plant can be inserted${distribution ? ' on each node that runs' : ''}; it was rolled back`,
      );
    } catch (error) {
      return failure(
        `a plant cannot be inserted: ${messageOf(error)}`,
        'The log of PostgreSQL has the details.',
      );
    } finally {
      await connection.query('ROLLBACK').catch(() => undefined);
    }
  },
};

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
