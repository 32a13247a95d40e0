import { PrismaPg } from '@prisma/adapter-pg';
import type { SqlQuery } from '@prisma/driver-adapter-utils';
import pg from 'pg';
import { messageOf } from '../../errors/message-of.js';
import { OperatorError } from '../../errors/operator-error.js';
import { measurePool } from '../../metrics/measure-pool.js';
import type { Database, OpenOptions } from '../database.js';
import type { PostgresqlLocation } from '../database-location.js';
import { readMigrations } from '../migrations/read-migrations.js';
import { createPrismaAccessTokenStore } from '../prisma-access-token-store.js';
import { findAccessToken } from '../queries/find-access-token.js';
import { checkTables } from './check-tables.js';
import { hasCitus } from './citus/shard-map.js';
import { watchShards } from './citus/watch-shards.js';
import { checkPooler } from './connections/check-pooler.js';
import {
  connectionSettings,
  queryTimeoutMs,
  startConnectTimeoutMs,
} from './connections/connection-settings.js';
import { type ConnectionPool, openPool } from './connections/open-pool.js';
import { rejectAfter } from './connections/reject-after.js';
import { confirmDurable } from './durable-read.js';
import { findDriverError } from './errors/driver-error.js';
import { migratePostgresql, migrationTimeoutMs } from './migrate-postgresql.js';
import { createPostgresqlPlantStore } from './postgresql-plant-store.js';
import { recordUses } from './record-uses.js';
import { createRunQuery } from './run-query.js';
import { byShard } from './strategies/by-shard.js';
import type { InsertStrategy } from './strategies/insert-strategy.js';
import { insertPlants, toOneDestination } from './strategies/one-destination.js';
import { createTryCommit } from './try-commit.js';

/** How many inserts are in flight: while one waits for the disk, the next one is sent and planned. */
const concurrentInserts = 2;

/**
 * Opens a PostgreSQL database and applies pending migrations. Connections are replaced as needed: a server that went
 * away is used again as soon as it is back.
 *
 * @throws {OperatorError} when the database cannot be reached or used; the message never contains the password
 */
export async function openPostgresql(
  location: PostgresqlLocation,
  { metrics }: Pick<OpenOptions, 'metrics'> = {},
): Promise<Database> {
  const { schema } = location;
  const runQuery = createRunQuery(queryTimeoutMs(location));
  try {
    const { isPooled } = await checkPooler(location);
    const { appliedMigrations, mayDistribute } = await prepare(location);
    const connectionPool = openPool(location, isPooled);
    const { pool } = connectionPool;
    if (metrics !== undefined) measurePool(pool, metrics);
    const adapter = new PrismaPg(pool, { schema, statementNameGenerator: nameStatement });
    const connections = await adapter.connect();
    const accessTokens = createPrismaAccessTokenStore({
      findByHash: (hash) => findAccessToken(connections, '$1', hash),
      recordUses: (uses) => recordUses(pool, uses),
      loadClient: async () => new (await import('./generated/client.js')).PrismaClient({ adapter }),
      confirmRead: async () => void (await pool.query(confirmDurable)),
      runQuery,
    });
    const tryCommit = createTryCommit(pool);
    const { strategy, closeStrategy } = await chooseStrategy(connectionPool, location, mayDistribute);
    return {
      plants: createPostgresqlPlantStore(connections, runQuery, strategy),
      accessTokens,
      appliedMigrations,
      routing: strategy.routing,
      check: () => runQuery(() => checkWritable(pool)),
      tryCommit: (trial) => runQuery(() => tryCommit(trial)),
      async close() {
        closeStrategy();
        await accessTokens.close();
        await connections.dispose();
        await connectionPool.close();
      },
    };
  } catch (error) {
    throw explainOpening(error, location);
  }
}

/** How plants are inserted: each batch into one shard where Citus distributes the table, or may do so later. */
async function chooseStrategy(
  { pool, size }: ConnectionPool,
  { statementTimeoutMs }: PostgresqlLocation,
  mayDistribute: boolean,
): Promise<{ strategy: InsertStrategy; closeStrategy(): void }> {
  const undistributed = toOneDestination(Math.min(concurrentInserts, size));
  if (!mayDistribute) return { strategy: undistributed, closeStrategy: () => undefined };
  const shards = await watchShards(pool);
  // One connection stays for other queries, such as for access tokens.
  const inserts = Math.max(1, size - 1);
  const strategy = byShard({
    currentMap: shards.current,
    inserts,
    overdueAfterMs: statementTimeoutMs,
    undistributed,
  });
  return { strategy, closeStrategy: shards.close };
}

/**
 * Makes each connection keep the plan of the insert, the statement that runs all the time: its text and plan are the
 * same for every batch. Other statements are planned for each call.
 */
function nameStatement({ sql }: SqlQuery): string {
  return sql === insertPlants ? 'insert_plants' : '';
}

/** Migrates the schema on a separate connection, checks the tables, and finds out whether they may be distributed. */
async function prepare(
  location: PostgresqlLocation,
): Promise<{ appliedMigrations: readonly string[]; mayDistribute: boolean }> {
  const connection = new pg.Client(connectionSettings(location, startConnectTimeoutMs));
  // When a connection breaks, the query in flight fails, too.
  connection.on('error', () => undefined);
  try {
    await connection.connect();
    await checkEncoding(connection);
    const migrations = readMigrations('postgresql');
    // Its commit may wait for a missing standby.
    const appliedMigrations = await rejectAfter(
      2 * migrationTimeoutMs,
      migratePostgresql(connection, location.schema, migrations),
    );
    await checkTables(connection);
    return { appliedMigrations, mayDistribute: await hasCitus(connection) };
  } finally {
    await connection.end().catch(() => undefined);
  }
}

/** Any encoding but UTF-8 would reject some names. */
export async function checkEncoding(connection: pg.ClientBase): Promise<void> {
  const { rows } = await connection.query<{ server_encoding: string }>('SHOW server_encoding');
  const encoding = rows[0]?.server_encoding;
  if (encoding === 'UTF8') return;
  throw new OperatorError(
    `The database cannot be used: its encoding is ${encoding}, and plants need UTF8. Create one with ENCODING 'UTF8' TEMPLATE template0.`,
  );
}

/** A standby answers, but is read-only. */
async function checkWritable(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ transaction_read_only: string }>('SHOW transaction_read_only');
  if (rows[0]?.transaction_read_only === 'on') {
    throw Object.assign(new Error('the server is read-only'), { severity: 'ERROR', code: '25006' });
  }
}

/** The error for the operator when a database cannot be opened; one that is for the operator already is left unchanged. */
export function explainOpening(error: unknown, location: PostgresqlLocation): OperatorError {
  if (error instanceof OperatorError) return error;
  const reason = describe(error);
  return new OperatorError(
    `The database ${nameOf(location)} cannot be opened: ${reason}\n${adviseOn(reason)}`,
    { cause: error },
  );
}

/** The name and address of the database, without the password. The folder of a socket takes precedence in the driver. */
export function nameOf({ url }: PostgresqlLocation): string {
  const { hostname, port, pathname, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? hostname;
  return `${decodeURIComponent(pathname.slice(1))} on ${host}${port && `:${port}`}`;
}

/** PgBouncer rejects settings of a connection that it does not hand on, with a message that other poolers use, too. */
function adviseOn(reason: string): string {
  return reason.includes('unsupported startup parameter')
    ? 'A pooler is in front of it. Let it ignore that parameter (PgBouncer: ignore_startup_parameters = options), and set what is lost for the user: ALTER ROLE … SET statement_timeout = …, and search_path if DATABASE_URL names a schema.'
    : 'Set DATABASE_URL to a running PostgreSQL database, with a user who may create tables in it.';
}

function describe(error: unknown): string {
  return findDriverError(error)?.message ?? messageOf(error);
}
