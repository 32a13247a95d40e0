import pg from 'pg';
import type { PostgresqlLocation } from '../store/database-location.js';
import { checkPooler } from '../store/postgresql/check-pooler.js';
import { connectionSettings, endConnection, queryTimeoutMs } from '../store/postgresql/connection.js';
import { prepare } from '../store/postgresql/open-pool.js';
import { explainOpening, nameOf } from '../store/postgresql/open-postgresql.js';
import type { TokenContext } from './access-tokens.js';
import { isLoopback } from './exposure.js';
import { type Finding, failure, type Item, inspectAll, ok, type Result, warning } from './finding.js';
import { commit } from './postgresql-commit.js';
import { type PostgresqlContext, queryRow } from './postgresql-context.js';
import { durability, standby } from './postgresql-durability.js';
import { nodes, readDistribution } from './postgresql-nodes.js';
import { accessTokens, findPending, migrations, privileges, write } from './postgresql-tables.js';
import { clock, roundTrip } from './postgresql-time.js';

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

/** Whether the server accepts as many connections as the service may open. */
const connections: Item<PostgresqlContext> = {
  name: 'connections',
  async inspect({ connection, location, isPooled }) {
    const found = await queryRow<ConnectionLimits>(connection, selectLimits);
    return assessConnections({ ...found, poolSize: location.poolSize, isPooled });
  },
};

/** How many connections this user may have on the server and to the database, and how many all have now. */
interface ConnectionLimits {
  readonly limit: number;
  readonly used: number;
}

/**
 * pg_stat_activity hides from an ordinary user which sessions of others are those of clients; pg_stat_database counts all.
 * Limits of a database or a user are -1 where there is none. Superusers bypass them, which the service should not be.
 */
const selectLimits = `
  SELECT (SELECT sum(numbackends)::int FROM pg_stat_database) AS used,
    LEAST(
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0),
      (SELECT NULLIF(rolconnlimit, -1) FROM pg_catalog.pg_roles WHERE rolname = current_user),
      (SELECT NULLIF(datconnlimit, -1) FROM pg_catalog.pg_database WHERE datname = current_database())
    ) AS limit`;

function assessConnections({
  limit,
  used,
  poolSize,
  isPooled,
}: ConnectionLimits & { readonly poolSize: number; readonly isPooled: boolean }): Result {
  const found = `DATABASE_POOL_SIZE ${poolSize} for each process, of ${limit} that the server accepts, ${used} in use`;
  // The pooler has its own limits, which it does not show here.
  if (isPooled || poolSize <= limit) return ok(found);
  return warning(
    found,
    `Lower DATABASE_POOL_SIZE to ${limit} or less, or raise max_connections or CONNECTION LIMIT.`,
  );
}

/** Whether others on the network could read what is sent to the server, or answer in its place. */
const encryption: Item<PostgresqlContext> = {
  name: 'TLS',
  inspect: ({ connection: { host, ssl }, location }) =>
    assessEncryption({ host, hasTls: Boolean(ssl), mode: new URL(location.url).searchParams.get('sslmode') }),
};

/** How the server is reached: its address or the folder of its socket, and the `sslmode` of the URI if it has one. */
export interface Transport {
  readonly host: string;
  readonly hasTls: boolean;
  readonly mode: string | null;
}

export function assessEncryption({ host, hasTls, mode }: Transport): Result {
  const advice =
    'Set sslmode=verify-full in DATABASE_URL, and sslrootcert to the file of the CA unless it is a public one.';
  if (!hasTls) {
    if (host.startsWith('/') || isLoopback(host)) return ok(`not needed: ${host} is on this machine`);
    return warning(
      `the connection to ${host} is not encrypted: others may read plants and hashes of tokens`,
      advice,
    );
  }
  if (mode === 'require' && !isLoopback(host)) {
    return warning(
      `the connection to ${host} is encrypted, but the server's certificate is not checked`,
      advice,
    );
  }
  return ok(`the connection to ${host} is encrypted${mode === null ? '' : ` (sslmode=${mode})`}`);
}

/** The oldest major version that its makers still maintain (https://www.postgresql.org/support/versioning/). */
const oldestMaintained = 15;

/** The server's version, and whether it accepts writes. */
const server: Item<PostgresqlContext> = {
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
