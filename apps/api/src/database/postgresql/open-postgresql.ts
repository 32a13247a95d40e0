import { PrismaPg } from '@prisma/adapter-pg';
import type { SqlQuery } from '@prisma/driver-adapter-utils';
import pg from 'pg';
import { OperatorError } from '../../operator-error.js';
import type { Database } from '../database.js';
import type { PostgresqlLocation } from '../database-location.js';
import { findAccessToken } from '../find-access-token.js';
import { readMigrations } from '../migrations.js';
import { createPrismaAccessTokenStore } from '../prisma-access-token-store.js';
import { orUnavailable } from './database-unavailable.js';
import { findDriverFault } from './driver-fault.js';
import { withDurable } from './durable-reading.js';
import { migratePostgresql } from './migrate-postgresql.js';
import { createPostgresqlPlantStore } from './postgresql-plant-store.js';
import { refuseCancelledWait } from './refuse-cancelled-wait.js';

/** How long a request waits for a connection, in milliseconds. */
const connectTimeoutMs = 3_000;

/** How much longer than the server itself the driver waits for the end of a statement, in milliseconds. */
const answerMarginMs = 1_000;

/** How many inserts are under way at once: while one waits for the disk, the next one is sent and planned. */
const concurrentInserts = 2;

/**
 * Opens a PostgreSQL database and applies pending migrations. While it is open, connections come and go: a server that
 * went away is used again as soon as it is back.
 *
 * @throws {OperatorError} when the database cannot be reached or used; the message never has the password
 */
export async function openPostgresql(location: PostgresqlLocation): Promise<Database> {
  const { schema, poolSize, statementTimeoutMs } = location;
  try {
    const appliedMigrations = await migrate(location);
    const pool = new pg.Pool({
      ...connectionSettings(location),
      max: poolSize,
      query_timeout: statementTimeoutMs + answerMarginMs,
      // Or one whose server is silent would keep the process from ending: closing it waits for an answer.
      allowExitOnIdle: true,
      onConnect: async (client) => {
        refuseCancelledWait(client);
        await client.query(durableCommit);
      },
    });
    // An idle connection that breaks is not used again; there is nothing else to do about it.
    pool.on('error', () => undefined);
    const adapter = new PrismaPg(pool, { schema, statementNameGenerator: nameStatement });
    const connections = await adapter.connect();
    const accessTokens = createPrismaAccessTokenStore({
      findByHash: (hash) => findAccessToken(connections, '$1', hash),
      loadClient: async () => new (await import('./generated/client.js')).PrismaClient({ adapter }),
      confirmRead: async () => void (await pool.query(`${withDurable} SELECT FROM durable`)),
      orUnavailable,
    });
    return {
      plants: createPostgresqlPlantStore(connections),
      accessTokens,
      appliedMigrations,
      concurrentInserts: Math.min(concurrentInserts, poolSize),
      check: () => orUnavailable(() => checkWritable(pool)),
      async close() {
        await accessTokens.close();
        await connections.dispose();
        await pool.end();
      },
    };
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(
      `The database ${nameOf(location)} cannot be opened: ${describe(error)}\nLet DATABASE_URL name a PostgreSQL database that runs, with a user who may create tables in it.`,
      { cause: error },
    );
  }
}

/**
 * Has each connection keep the plan of the insert, the one statement that runs all the time: its text and its plan are
 * the same for every batch. All others are planned anew for what they are given.
 */
function nameStatement({ sql }: SqlQuery): string {
  return sql.includes('INSERT INTO plants ') ? 'insert_plants' : '';
}

/**
 * A commit that does not wait for the disk is made to; one that waits for more, such as for a standby, stays so. Warnings
 * are sent, since one of them says that a commit did not wait; see `refuseCancelledWait`.
 */
const durableCommit = `
  SELECT set_config('client_min_messages', 'warning', false),
    CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', false) END`;

function connectionSettings({ url, schema, statementTimeoutMs }: PostgresqlLocation): pg.ClientConfig {
  return {
    application_name: 'plant-store',
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    options: `-c search_path=${schema} -c statement_timeout=${statementTimeoutMs}`,
  };
}

/** Brings the schema up to date, on a connection of its own. */
async function migrate(location: PostgresqlLocation): Promise<readonly string[]> {
  const connection = new pg.Client(connectionSettings(location));
  // A connection that breaks fails the query that is under way, too.
  connection.on('error', () => undefined);
  try {
    await connection.connect();
    await checkEncoding(connection);
    return await migratePostgresql(connection, location.schema, readMigrations('postgresql'));
  } finally {
    await connection.end().catch(() => undefined);
  }
}

/** Any other encoding than UTF-8 would refuse some names. */
async function checkEncoding(connection: pg.ClientBase): Promise<void> {
  const { rows } = await connection.query<{ server_encoding: string }>('SHOW server_encoding');
  const encoding = rows[0]?.server_encoding;
  if (encoding === 'UTF8') return;
  throw new OperatorError(
    `The database cannot be used: its encoding is ${encoding}, and plants need UTF8. Create one with ENCODING 'UTF8' TEMPLATE template0.`,
  );
}

/** A standby answers, but takes no plants. */
async function checkWritable(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ transaction_read_only: string }>('SHOW transaction_read_only');
  if (rows[0]?.transaction_read_only === 'on') {
    throw Object.assign(new Error('the server is read-only'), { severity: 'ERROR', code: '25006' });
  }
}

/** The database without the password. */
function nameOf({ url }: PostgresqlLocation): string {
  const { hostname, port, pathname } = new URL(url);
  return `${decodeURIComponent(pathname.slice(1))} on ${hostname || 'this machine'}${port && `:${port}`}`;
}

function describe(error: unknown): string {
  return findDriverFault(error)?.message ?? (error instanceof Error ? error.message : String(error));
}
