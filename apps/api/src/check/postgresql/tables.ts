import { checkTables } from '../../database/postgresql/check-tables.js';
import { tryInsert } from '../../database/postgresql/try-commit.js';
import { messageOf } from '../../errors/message-of.js';
import { assessTokens, selectTokens } from '../access-tokens.js';
import { failure, type Item, ok } from '../finding.js';
import { idsOnPresentNodes } from './nodes.js';
import type { PostgresqlContext } from './postgresql-context.js';
import { queryRow } from './query-row.js';

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
