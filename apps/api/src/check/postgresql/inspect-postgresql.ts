import pg from 'pg';
import type { PostgresqlLocation } from '../../database/database-location.js';
import { checkPooler } from '../../database/postgresql/connections/check-pooler.js';
import {
  connectionSettings,
  queryTimeoutMs,
} from '../../database/postgresql/connections/connection-settings.js';
import { endConnection } from '../../database/postgresql/connections/end-connection.js';
import { prepare } from '../../database/postgresql/connections/open-pool.js';
import { explainOpening, nameOf } from '../../database/postgresql/open-postgresql.js';
import type { TokenContext } from '../access-tokens.js';
import { type Finding, failure, type Item, inspectAll, ok } from '../finding.js';
import { commit } from './commit.js';
import { connections } from './connections.js';
import { durability, standby } from './durability.js';
import { encryption } from './encryption.js';
import { findPending, migrations } from './migrations.js';
import { nodes, readDistribution } from './nodes.js';
import type { PostgresqlContext } from './postgresql-context.js';
import { server } from './server.js';
import { accessTokens, privileges, write } from './tables.js';
import { clock, roundTrip } from './time.js';

/** A write that fails may leave a transaction open or the connection broken, so those are last. */
const items: readonly Item<PostgresqlContext>[] = [
  server,
  encryption,
  connections,
  roundTrip,
  clock,
  durability,
  standby,
  nodes,
  migrations,
  privileges,
  accessTokens,
  write,
  commit,
];

/** Examines a PostgreSQL database over a connection like those of the service, and yields each finding as it is made. */
export async function* inspectPostgresql(
  location: PostgresqlLocation,
  tokens: TokenContext,
): AsyncGenerator<Finding> {
  const connection = new pg.Client({
    ...connectionSettings(location, location.timeouts.startConnectMs),
    // The server's own timeout does not help when it is silent, or when a commit waits for a standby.
    query_timeout: queryTimeoutMs(location),
  });
  // When a connection breaks, the query in flight fails, too.
  connection.on('error', () => undefined);
  try {
    const { isPooled } = await checkPooler(location);
    await connection.connect();
    // Behind a pooler, settings of a session would stay with a backend of others.
    if (!isPooled) await connection.query(prepare);
    const pending = await findPending(connection, location).catch(() => undefined);
    yield {
      item: 'database',
      ...ok(
        `PostgreSQL database ${nameOf(location)}${isPooled ? ', behind a pooler in transaction mode' : ''}`,
      ),
    };
    const distribution = await readDistribution(connection, location);
    yield* inspectAll(items, { connection, location, isPooled, distribution, pending, ...tokens });
  } catch (error) {
    yield { item: 'database', ...failure(explainOpening(error, location).message) };
  } finally {
    await endConnection(connection);
  }
}
