import type { Client, ClientBase, QueryResultRow } from 'pg';
import { isLoopback } from '../auth/jwt-settings.js';
import { messageOf } from '../errors/operator-error.js';
import type { PostgresqlLocation } from '../store/database-location.js';
import { findPending, readMigrations } from '../store/migrations.js';
import { checkTables } from '../store/postgresql/check-tables.js';
import { readShards } from '../store/postgresql/citus.js';
import {
  connectionSettings,
  createConnection,
  endConnection,
  queryTimeoutMs,
} from '../store/postgresql/connection.js';
import { mayListChangesSql, mayNotListChanges } from '../store/postgresql/list-changes.js';
import { checkSchema, ledgerOfPostgresql } from '../store/postgresql/migrate-postgresql.js';
import { checkPooler, negotiate, type PoolerNote } from '../store/postgresql/negotiate.js';
import { prepare } from '../store/postgresql/open-pool.js';
import { checkEncoding, explainOpening, nameOf } from '../store/postgresql/open-postgresql.js';
import { confirmDurableSql } from '../store/postgresql/probe-commit.js';
import { allTables } from '../store/table.js';
import {
  describePending,
  type Finding,
  failure,
  inspect,
  medianTimeMs,
  ok,
  type Result,
  type Results,
  warning,
} from './finding.js';
import { assessTokens, type StoredToken, selectTokens, type TokenContext } from './tokens.js';

/** Examines a PostgreSQL database over a connection with the service's settings, and yields each finding immediately. */
export async function* inspectPostgresql(
  configured: PostgresqlLocation,
  tokens: TokenContext,
): AsyncGenerator<Finding> {
  let opened: Client | undefined;
  const notes: PoolerNote[] = [];
  try {
    const location = await negotiate(configured, (note) => notes.push(note));
    const connection = createConnection({
      ...connectionSettings(location, location.timeouts.startConnectMs),
      // The server's own timeout does not help when it is silent, or when a commit waits for a standby.
      query_timeout: queryTimeoutMs(location),
    });
    opened = connection;
    const { isPooled } = await checkPooler(location);
    await connection.connect();
    // Behind a pooler, session settings would stay on a backend that others use.
    if (!isPooled) await connection.query(prepare);
    const pooler = isPooled ? ', behind a pooler in transaction mode' : '';
    yield { item: 'database', ...ok(`PostgreSQL database ${nameOf(location)}${pooler}`) };
    for (const { found, advice } of notes) yield { item: 'database', ...warning(found, advice) };
    yield* inspect('server', () => inspectServer(connection));
    yield* inspect('TLS', () => {
      const { host, ssl } = connection;
      const mode = new URL(location.url).searchParams.get('sslmode');
      return assessEncryption({ host, hasTls: Boolean(ssl), mode });
    });
    yield* inspect('connections', () => inspectConnections(connection, location.poolSize, isPooled));
    yield* inspect('durability', () => inspectDurability(connection));
    yield* inspect('standby', async () =>
      assessReplication(await queryRow<ReplicationSettings>(connection, selectReplication)),
    );
    let areApplied = false;
    yield* inspect('migrations', async () => {
      await checkEncoding(connection);
      await checkSchema(connection, location.schema);
      const ledger = ledgerOfPostgresql(connection, location.schema);
      const pending = await findPending(ledger, readMigrations('postgresql'));
      areApplied = pending.length === 0;
      return describePending(pending);
    });
    if (!areApplied) return;
    yield* inspect('privileges', () => inspectPrivileges(connection));
    yield* inspect('access tokens', async () =>
      assessTokens((await connection.query<StoredToken>(selectTokens)).rows, tokens),
    );
    yield* inspect('commit', () => inspectCommit(connection));
  } catch (error) {
    yield { item: 'database', ...failure(explainOpening(error, configured).message) };
  } finally {
    if (opened !== undefined) await endConnection(opened);
  }
}

/**
 * Runs a query that returns one row.
 *
 * @throws PostgreSQL's error, or an error if there is no row
 */
async function queryRow<Row extends QueryResultRow>(connection: ClientBase, sql: string): Promise<Row> {
  const [row] = (await connection.query<Row>(sql)).rows;
  if (row === undefined) throw new Error(`PostgreSQL returned no row for ${sql}`);
  return row;
}

/** The oldest major version that is still maintained (https://www.postgresql.org/support/versioning/). */
const oldestMaintained = 15;

async function inspectServer(connection: ClientBase): Promise<Result> {
  const { version, recovering, readonly } = await queryRow<{
    version: number;
    recovering: boolean;
    readonly: boolean;
  }>(connection, selectServer);
  if (recovering)
    return failure(
      'the server is a standby and cannot store records',
      'Point DATABASE_URL at the primary, or at a proxy or DNS name for it.',
    );
  if (readonly)
    return failure(
      'transactions are read-only (default_transaction_read_only)',
      'Turn off default_transaction_read_only for the database and the user.',
    );
  return assessVersion(version);
}

const selectServer = `
  SELECT current_setting('server_version_num')::int AS version, pg_is_in_recovery() AS recovering,
    current_setting('transaction_read_only') = 'on' AS readonly`;

/** @param version the value of `server_version_num`, such as 180004 for 18.4 */
export function assessVersion(version: number): Result {
  const major = Math.floor(version / 10_000);
  const found = `PostgreSQL ${major}.${version % 10_000}`;
  if (major >= oldestMaintained) return ok(`${found}, which accepts writes`);
  return warning(`${found} no longer receives fixes`, `Upgrade to PostgreSQL ${oldestMaintained} or later.`);
}

/** How the service reaches PostgreSQL: the address or socket folder, whether TLS is used, and the URI's `sslmode`, if any. */
export interface Transport {
  readonly host: string;
  readonly hasTls: boolean;
  readonly mode: string | null;
}

/** Checks whether others on the network could read what is sent to the server, or answer in its place. */
export function assessEncryption({ host, hasTls, mode }: Transport): Result {
  const isLocal = host.startsWith('/') || isLoopback(host);
  const advice =
    'In DATABASE_URL, set sslmode=verify-full. Unless the CA is public, also set sslrootcert to its certificate file.';
  const encrypted = `the connection to ${host} is encrypted`;
  if (!hasTls && isLocal) return ok(`not needed: ${host} is on this machine`);
  if (!hasTls)
    return warning(
      `the connection to ${host} is not encrypted, so others on the network can read records and token hashes`,
      advice,
    );
  if ((mode === 'require' || mode === 'prefer') && !isLocal)
    return warning(`${encrypted}, but the server's certificate is not verified`, advice);
  return ok(`${encrypted}${mode === null ? '' : ` (sslmode=${mode})`}`);
}

async function inspectConnections(
  connection: ClientBase,
  poolSize: number,
  isPooled: boolean,
): Promise<Result> {
  const { limit, used } = await queryRow<{ limit: number; used: number }>(connection, selectLimits);
  const found = `DATABASE_POOL_SIZE is ${poolSize} for each instance; the server accepts ${limit} connections, and ${used} are in use`;
  // The pooler has its own limits, which it does not show here.
  if (isPooled || poolSize <= limit) return ok(found);
  return warning(
    found,
    `Lower DATABASE_POOL_SIZE to ${limit} or less, or raise max_connections or the CONNECTION LIMIT of the user or database.`,
  );
}

/**
 * Selects how many connections this user can open, and how many connections all users have now. In pg_stat_activity, ordinary users cannot
 * see which sessions of other users belong to clients, but pg_stat_database counts all of them. A database or user without a limit has the
 * value -1. Superusers bypass the limits, but the service should not run as one.
 */
const selectLimits = `
  SELECT (SELECT sum(numbackends)::int FROM pg_stat_database) AS used,
    LEAST(
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0),
      (SELECT NULLIF(rolconnlimit, -1) FROM pg_catalog.pg_roles WHERE rolname = current_user),
      (SELECT NULLIF(datconnlimit, -1) FROM pg_catalog.pg_database WHERE datname = current_database())
    ) AS limit`;

/** Checks the server settings without which a crash loses or damages committed data. */
async function inspectDurability(connection: ClientBase): Promise<Results> {
  const { fsync, pages } = await queryRow<{ fsync: string; pages: string }>(
    connection,
    `SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS pages`,
  );
  const problemOf = (setting: string, effect: string) =>
    failure(
      `${setting} is off: if the machine crashes, ${effect}`,
      `Run ALTER SYSTEM SET ${setting} = on, and then SELECT pg_reload_conf(). If the machine crashed while it was off, restore a backup.`,
    );
  const problems = [
    ...(fsync === 'on' ? [] : [problemOf('fsync', 'acknowledged records are lost')]),
    ...(pages === 'on' ? [] : [problemOf('full_page_writes', 'tables can be damaged')]),
  ];
  return problems.length > 0 ? problems : ok('fsync and full_page_writes are on');
}

interface ReplicationSettings {
  /** The value of `synchronous_commit`. The service sets it to `on` if it is `off`. */
  readonly commits: string;
  readonly names: string;
  readonly receivers: number;
}

/**
 * Counts standbys in pg_stat_replication, because ordinary users cannot see in pg_stat_activity which sessions of other users are standbys.
 */
const selectReplication = `
  SELECT current_setting('synchronous_commit') AS commits, current_setting('synchronous_standby_names') AS names,
    (SELECT count(*)::int FROM pg_stat_replication) AS receivers`;

export function assessReplication({ commits, names, receivers }: ReplicationSettings): Result {
  const found = `synchronous_commit is ${commits}, and synchronous_standby_names is ${names === '' ? 'empty' : `"${names}"`}`;
  if (names === '' && receivers > 0)
    return warning(
      `${found}; ${receivers === 1 ? '1 standby or backup receives' : `${receivers} standbys or backups receive`} the log, so a failover can lose the latest acknowledged records`,
      'If a failover must not lose records, set synchronous_standby_names, so that each 200 reply waits for a standby.',
    );
  if (names !== '' && commits === 'local')
    return warning(
      `${found}: commits do not wait for the standby`,
      'Set synchronous_commit to on for the user: ALTER ROLE … SET synchronous_commit = on.',
    );
  if (names !== '' && commits === 'remote_write')
    return warning(
      `${found}: commits do not wait for the standby's disk`,
      'If a simultaneous crash of both machines must not lose records, set synchronous_commit to on for the user.',
    );
  return ok(found);
}

async function inspectPrivileges(connection: ClientBase): Promise<Result> {
  await checkTables(connection);
  const { missing, notUpdatable, canListChanges } = await queryRow<{
    missing: readonly string[];
    notUpdatable: readonly string[];
    canListChanges: boolean;
  }>(connection, selectPrivileges);
  if (missing.length > 0) {
    return failure(
      `the user lacks privileges on access_tokens (${missing.join(', ')}), so tokens cannot be checked, issued, or revoked`,
      'Grant the user SELECT, INSERT, and UPDATE on access_tokens, and USAGE on its ID sequence.',
    );
  }
  // Changes to distributed records have no order and cannot be listed, so the privileges for that are not needed.
  if (!canListChanges && !(await readShards(connection, allTables))) return failure(...mayNotListChanges);
  if (notUpdatable.length === 0) return ok('all privileges on the tables are granted');
  return warning(
    `the user lacks the UPDATE privilege on ${notUpdatable.join(', ')}, so records cannot be updated or deleted`,
    `Grant the user UPDATE on ${notUpdatable.join(', ')}.`,
  );
}

const selectPrivileges = `
  SELECT ARRAY(SELECT name FROM unnest(ARRAY[${allTables.map(({ name }) => `'${name}'`).join(', ')}]) AS name
      WHERE NOT has_table_privilege(name, 'UPDATE')) AS "notUpdatable",
    ${mayListChangesSql} AS "canListChanges", ARRAY(
    SELECT privilege FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE']) AS privilege
    WHERE NOT has_table_privilege('access_tokens', privilege)
    UNION ALL
    SELECT 'USAGE on its sequence' WHERE pg_get_serial_sequence('access_tokens', 'id') IS NOT NULL
      AND NOT has_sequence_privilege(pg_get_serial_sequence('access_tokens', 'id'), 'USAGE')
  ) AS missing`;

/**
 * Measures how long a commit takes to reach the disk and, if there is one, the synchronous standby. Each commit writes an empty message to
 * the write-ahead log, as the retry of a create does, and changes no data.
 */
async function inspectCommit(connection: ClientBase): Promise<Result> {
  try {
    return assessCommitTime(await medianTimeMs(9, () => connection.query(confirmDurableSql)));
  } catch (error) {
    return failure(
      `a commit was not acknowledged: ${messageOf(error)}`,
      "Check the standbys in synchronous_standby_names, and the server's disk and log.",
    );
  }
}

/** The median commit time above which the server counts as slow, in milliseconds. */
const slowMs = 20;

export function assessCommitTime(medianMs: number): Result {
  const found = `${medianMs.toFixed(2)} ms per commit (median); concurrent creates share commits`;
  if (medianMs <= slowMs) return ok(found);
  return warning(
    `${found}, but a single create takes at least that long`,
    "Check the server's disk, the network latency, and the synchronous standby.",
  );
}
