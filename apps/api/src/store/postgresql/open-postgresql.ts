import type pg from 'pg';
import type { TokenUse } from '../../auth/token-service.js';
import { messageOf, OperatorError } from '../../errors/operator-error.js';
import { measurePool } from '../../observe/metrics.js';
import { createAuditStore, type RunSteps, type Statement, type Steps } from '../audit-store.js';
import { type Database, type OpenOptions, stderrLog } from '../database.js';
import type { PostgresqlLocation } from '../database-location.js';
import { readMigrations } from '../migrations.js';
import type { RecordStore } from '../store.js';
import { allTables, type Table } from '../table.js';
import { createPrismaAccessTokenStore, insertWithinLimitSql } from '../token-store.js';
import { checkTables } from './check-tables.js';
import { createInsertOfValues, readShards, requireDurableNodes } from './citus.js';
import { connectionSettings, queryTimeoutMs, rejectAfter, withConnection } from './connection.js';
import { findDriverError } from './errors.js';
import { readChangeNumbers } from './list-changes.js';
import { migratePostgresql, migrationTimeoutMs } from './migrate-postgresql.js';
import { checkPooler, negotiate } from './negotiate.js';
import { openPool } from './open-pool.js';
import { createInsert, createPostgresqlStore } from './postgresql-store.js';
import { confirmDurableSql, confirmOnceSql, createCommitProbe } from './probe-commit.js';
import { createQuery, createRunQuery } from './run-query.js';

/** How many commits can be in flight: while one waits for the disk, the next one is sent and planned. */
const concurrentCommits = 2;

/** One in this many connections can read a list. Creates need the other connections, and time on the server. */
const connectionsPerList = 4;

/**
 * Opens a PostgreSQL database and applies pending migrations. Connections are replaced as needed: after an outage of the server, the
 * service uses it again as soon as it is back.
 *
 * @throws {OperatorError} if the database cannot be reached or used; the message never contains the password
 */
export async function openPostgresql(
  configured: PostgresqlLocation,
  { log = stderrLog, tables = allTables, historyDays, metrics }: Omit<OpenOptions, 'mustExist'> = {},
): Promise<Database> {
  const { schema } = configured;
  const transact = createRunQuery(queryTimeoutMs(configured));
  try {
    const location = await negotiate(configured, ({ found, advice }) => log.warn({}, `${found}. ${advice}`));
    const { isPooled } = await checkPooler(location);
    const { appliedMigrations, changeNumbers, showsLog } = await withConnection(
      connectionSettings(location, location.timeouts.startConnectMs),
      // The commit of a migration can wait for a missing standby, and the server can stop responding.
      (connection) => rejectAfter(2 * migrationTimeoutMs, migrateAndCheck(connection, location, tables)),
    );
    const connectionPool = openPool(location, isPooled);
    const { pool } = connectionPool;
    if (metrics !== undefined) measurePool(pool, metrics);
    const createStore = (table: Table): RecordStore =>
      createPostgresqlStore({
        query: createQuery(pool),
        table,
        transact,
        composeInsert: changeNumbers
          ? createInsert(table, changeNumbers.ofTransaction)
          : createInsertOfValues(table),
        changeNumbers,
        showsLog,
        historyDays,
      });
    const stores: Readonly<Record<string, RecordStore>> = Object.fromEntries(
      tables.map((table) => [table.resource, createStore(table)]),
    );
    const query = async (statement: Statement) => (await pool.query<unknown[]>(toQuery(statement))).rows;
    let lastSteps: Promise<unknown> = Promise.resolve();
    /** Runs steps one after the other, so that only one connection waits for the lock, and records can use the others. */
    const runSteps: RunSteps = (createSteps) =>
      transact(() => {
        const steps = lastSteps.then(() => runInTransaction(pool, createSteps));
        lastSteps = steps.catch(() => undefined);
        return steps;
      });
    const accessTokens = createPrismaAccessTokenStore({
      query,
      runSteps,
      insertWithinLimit,
      forShare: ' FOR SHARE',
      recordUses: (uses) => recordUses(pool, uses),
      async loadClient() {
        const [{ PrismaClient }, { PrismaPg }] = await Promise.all([
          import('./generated/client.js'),
          import('@prisma/adapter-pg'),
        ]);
        return new PrismaClient({ adapter: new PrismaPg(pool, { schema }) });
      },
      confirmRead: async () => void (await pool.query(confirmDurableSql)),
      runQuery: transact,
    });
    const probe = createCommitProbe(pool, tables);
    return {
      stores: stores as unknown as Database['stores'],
      async write(writes) {
        const store = stores[writes[0]?.resource ?? ''];
        const records = writes.flatMap(({ record }) => record ?? []);
        if (records.length > 0) return (await store?.create(records)) ?? [];
        return (await store?.change(writes.flatMap(({ change }) => change ?? []))) ?? [];
      },
      writesTogether: false,
      changesTogether: changeNumbers !== undefined,
      accessTokens,
      audit: createAuditStore((statement) => transact(() => query(statement)), runSteps),
      appliedMigrations,
      check: () => transact(() => checkWritable(pool)),
      probeCommit: () =>
        transact(async () => {
          await checkWritable(pool);
          await probe();
        }),
      invalidateCursors: () =>
        transact(async () => {
          await pool.query(
            `UPDATE store SET generation = substr(replace(gen_random_uuid()::text, '-', ''), 25), accepts_old_cursors = false`,
          );
        }),
      concurrentLists: Math.max(1, Math.floor(connectionPool.size / connectionsPerList)),
      concurrentCommits: Math.min(concurrentCommits, connectionPool.size),
      async close() {
        await accessTokens.close();
        await connectionPool.close();
      },
    };
  } catch (error) {
    throw explainOpening(error, configured);
  }
}

/** Migrates the schema, and checks the tables. */
async function migrateAndCheck(
  connection: pg.Client,
  { schema }: PostgresqlLocation,
  tables: readonly Table[],
) {
  await checkEncoding(connection);
  const appliedMigrations = await migratePostgresql(connection, schema, readMigrations('postgresql'));
  await checkTables(connection, tables);
  const isDistributed = (await readShards(connection, tables)) !== undefined;
  if (isDistributed) await requireDurableNodes(connection);
  return {
    appliedMigrations,
    changeNumbers: isDistributed ? undefined : await readChangeNumbers(connection, tables),
    showsLog: !isDistributed && (await canReadLog(connection)),
  };
}

/** Whether the user can read the positions of the log. Some hosted servers have no such log, and an operator can revoke the functions. */
async function canReadLog(connection: pg.Client): Promise<boolean> {
  try {
    await connection.query(`SELECT ${confirmOnceSql}`);
    return true;
  } catch (error) {
    if (findDriverError(error)?.code === undefined) throw error;
    return false;
  }
}

/** Requires UTF-8, because any other encoding would reject some names. */
export async function checkEncoding(connection: pg.ClientBase): Promise<void> {
  const { rows } = await connection.query<{ server_encoding: string }>('SHOW server_encoding');
  const encoding = rows[0]?.server_encoding;
  if (encoding === 'UTF8') return;
  throw new OperatorError(
    `The database cannot be used: its encoding is ${encoding}, but Plant Store requires UTF8. Create a database with ENCODING 'UTF8' TEMPLATE template0.`,
  );
}

/** Rejects a read-only server. A standby, for example, responds to queries but cannot store records. */
async function checkWritable(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ transaction_read_only: string }>('SHOW transaction_read_only');
  if (rows[0]?.transaction_read_only === 'on') {
    throw Object.assign(new Error('the server is read-only'), { severity: 'ERROR', code: '25006' });
  }
}

/** Creates the error for the operator when a database cannot be opened. Returns an `OperatorError` unchanged. */
export function explainOpening(error: unknown, location: PostgresqlLocation): OperatorError {
  if (error instanceof OperatorError) return error;
  const { code = '', message } = findDriverError(error) ?? { message: messageOf(error) };
  return new OperatorError(
    `The database ${nameOf(location)} cannot be opened: ${message}\n${adviseOn(code, message)}`,
    { cause: error },
  );
}

/** Returns the name and address of the database, without the password. The folder of a socket takes precedence, as in the driver. */
export function nameOf({ url }: PostgresqlLocation): string {
  const { hostname, port, pathname, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? hostname;
  return `${decodeURIComponent(pathname.slice(1))} on ${host}${port && `:${port}`}`;
}

/**
 * Matches connection errors that a server sends, which are about its own connection to a Citus node. Excludes 08P01, which poolers also
 * send.
 */
const nodeError = /^08(?!P)/;

/** Matches Node.js errors about the certificate of a server. */
const certificateError = /certificate|altnames/i;

/**
 * Returns what the operator can do about an error. PgBouncer and other poolers reject connection settings that they do not pass on, with
 * the same message.
 */
function adviseOn(code: string, message: string): string {
  if (nodeError.test(code))
    return 'A Citus node is down, and all nodes are needed to create or change tables. Nothing was changed. Start the node, then try again.';
  if (certificateError.test(message))
    return "If the server's certificate is from a private CA, set sslrootcert to the CA's certificate file. To encrypt without checking the certificate, use sslmode=require.";
  return message.includes('unsupported startup parameter')
    ? 'A pooler rejected that parameter. Make the pooler ignore it (PgBouncer: ignore_startup_parameters = options), or connect without the pooler (Neon: the host without -pooler), and set the missing settings for the user: ALTER ROLE … SET statement_timeout = …, and search_path if DATABASE_URL names a schema.'
    : 'Set DATABASE_URL to a running PostgreSQL database, with a user who can create tables in it.';
}

const insertWithinLimit = insertWithinLimitSql(
  ['text', 'text', 'text', 'timestamptz', 'timestamptz', 'int', 'timestamptz', 'int'].map(
    (type) => `?::${type}`,
  ),
);

/** Converts a statement to the format of the driver, which numbers the placeholders. */
function toQuery({ sql, values }: Statement): pg.QueryArrayConfig {
  let number = 0;
  const text = sql.replaceAll('?', () => `$${++number}`);
  return { text, values: [...values], rowMode: 'array' };
}

/**
 * Runs steps in a transaction. A lock makes the transactions of all instances run one after the other, so that audit numbers are in commit
 * order. READ COMMITTED, which may not be the database's default, lets each statement see everything that was committed before the lock was
 * acquired.
 */
async function runInTransaction<Result>(pool: pg.Pool, createSteps: () => Steps<Result>): Promise<Result> {
  const connection = await pool.connect();
  // A commit succeeds even if its wait for the standby is cancelled. Then the connection emits an error; see `rejectCancelledWait`.
  const failures: unknown[] = [];
  const noteFailure = (error: unknown) => void failures.push(error);
  connection.on('error', noteFailure);
  let isDone = false;
  try {
    await connection.query(
      `BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_advisory_xact_lock('access_tokens'::regclass::oid::bigint)`,
    );
    const steps = createSteps();
    let step = steps.next();
    while (!step.done) step = steps.next((await connection.query<unknown[]>(toQuery(step.value))).rows);
    await connection.query('COMMIT');
    if (failures.length > 0) throw failures[0];
    isDone = true;
    return step.value;
  } finally {
    connection.off('error', noteFailure);
    // Closing a connection rolls back.
    connection.release(!isDone);
  }
}

/**
 * Updates last uses in one statement, so that it is also one transaction with a pooler. Its commit waits neither for the disk nor for a
 * standby. It skips locked rows, because the instance that is updating them sets about the same time.
 */
const updateLastUses = `
  WITH asynchronous AS (SELECT set_config('synchronous_commit', 'off', true)),
  use AS (SELECT * FROM unnest($1::int[], $2::timestamptz[]) AS use (id, at)),
  token AS (
    SELECT access_tokens.id, use.at FROM asynchronous, use JOIN access_tokens USING (id)
    WHERE last_used_at IS NULL OR last_used_at < use.at
    FOR NO KEY UPDATE OF access_tokens SKIP LOCKED
  )
  UPDATE access_tokens SET last_used_at = token.at FROM token WHERE access_tokens.id = token.id`;

/** Stores when tokens were used, without waiting for the disk, a standby, or another instance. */
async function recordUses(pool: pg.Pool, uses: readonly TokenUse[]): Promise<void> {
  await pool.query(updateLastUses, [uses.map(({ id }) => id), uses.map(({ at }) => at)]);
}
