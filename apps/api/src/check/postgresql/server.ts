import { failure, type Item, ok, type Result, warning } from '../finding.js';
import type { PostgresqlContext } from './postgresql-context.js';
import { queryRow } from './query-row.js';

/** The oldest major version that its makers still maintain (https://www.postgresql.org/support/versioning/). */
const oldestMaintained = 15;

/** The server's version, and whether it accepts writes. */
export const server: Item<PostgresqlContext> = {
  name: 'server',
  async inspect({ connection }) {
    const { version, recovering, readonly } = await queryRow<ServerRow>(connection, selectServer);
    if (recovering) {
      return failure(
        'it is a standby, which stores nothing',
        'Set DATABASE_URL to the primary, or to a proxy or name that leads to it.',
      );
    }
    if (readonly) {
      return failure(
        'transactions are read-only (default_transaction_read_only)',
        'Switch that off for the database and the user.',
      );
    }
    return assessVersion(version);
  },
};

interface ServerRow {
  readonly version: number;
  readonly recovering: boolean;
  readonly readonly: boolean;
}

const selectServer = `
  SELECT current_setting('server_version_num')::int AS version, pg_is_in_recovery() AS recovering,
    current_setting('transaction_read_only') = 'on' AS readonly`;

/** @param version the value of `server_version_num`, such as 180004 for 18.4 */
export function assessVersion(version: number): Result {
  const major = Math.floor(version / 10_000);
  const found = `PostgreSQL ${major}.${version % 10_000}`;
  if (major >= oldestMaintained) return ok(`${found}, which accepts writes`);
  return warning(`${found} gets no fixes any more`, `Upgrade to ${oldestMaintained} or later.`);
}
