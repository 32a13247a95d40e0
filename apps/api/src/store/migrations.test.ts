import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scopes } from '@plant-store/contract/access-token';
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { collect } from '../../test/support/collect.js';
import { createTestDatabase, openTestDatabase } from '../../test/support/database/create-test-database.js';
import { type Engine, engines } from '../../test/support/database/engines.js';
import { recordLog } from '../../test/support/database/record-log.js';
import type { TestDatabase } from '../../test/support/database/test-database.js';
import { highPageLimits } from '../../test/support/database/use-plant-store.js';
import { useConnections } from '../../test/support/postgresql/use-connections.js';
import { readPage } from '../../test/support/read-markdown.js';
import { until } from '../../test/support/until.js';
import { parseConfig } from '../config.js';
import { OperatorError } from '../errors/operator-error.js';
import { findPendingMigrations, type LedgerRow, type Migration, readMigrations } from './migrations.js';
import { openDatabase } from './open-database.js';
import { withConnection } from './postgresql/connection.js';
import { migratePostgresql } from './postgresql/migrate-postgresql.js';
import { withConnection as withSqlite } from './sqlite/connections.js';
import { migrateSqlite } from './sqlite/migrate-sqlite.js';

const threeMigrations = ['1_first', '2_second', '3_third'].map((name) => ({
  name,
  sql: '',
  checksum: `of ${name}`,
}));
const row = (migrationName: string, change: Partial<LedgerRow> = {}): LedgerRow => ({
  migrationName,
  checksum: `of ${migrationName}`,
  finished: true,
  rolledBack: false,
  ...change,
});
const pending = (...ledger: LedgerRow[]) =>
  findPendingMigrations(threeMigrations, ledger).map(({ name }) => name);

it('finds what is not applied yet', () => {
  expect(pending()).toEqual(['1_first', '2_second', '3_third']);
  expect(pending(row('1_first'), row('2_second'))).toEqual(['3_third']);
  expect(pending(row('1_first'), row('2_second'), row('3_third'))).toEqual([]);
});

it('applies a migration again that was rolled back', () => {
  const rolledBack = row('2_second', { finished: false, rolledBack: true });
  expect(pending(row('1_first'), rolledBack)).toEqual(['2_second', '3_third']);
});

it.each([
  { invalid: row('1_first', { finished: false }), message: '1_first failed halfway' },
  { invalid: row('1_first', { checksum: 'of something else' }), message: '1_first was edited' },
  { invalid: row('4_fourth'), message: '4_fourth, which this version does not have' },
])('rejects a ledger that does not match: $message', ({ invalid, message }) => {
  expect(() => pending(invalid)).toThrow(message);
});

/** Opens a database, closes it, and returns the migrations that were applied, and what was logged. */
async function openOnce({ url }: TestDatabase) {
  const { log, lines } = recordLog();
  const opened = await openDatabase(parseConfig({ DATABASE_URL: url }, '/').database, { log });
  await opened.close();
  return { applied: opened.appliedMigrations, lines };
}

/** How to look at the ledger on an engine. */
interface LedgerOfEngine {
  /** Describes its columns. */
  readonly describe: string;
  /** The beginning of the statement with which Prisma Migrate's engine creates it. */
  readonly creation: string;
  /** Selects the stored times of the rows: their type, and milliseconds since the epoch. */
  readonly times: string;
  readonly timeType: string;
}

const ledgers: Readonly<Record<Engine, LedgerOfEngine>> = {
  sqlite: {
    describe: `SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info('_prisma_migrations') ORDER BY cid`,
    creation: 'CREATE TABLE "_prisma_migrations" (',
    times: `SELECT typeof(started_at) AS "startedType", started_at AS started, typeof(finished_at) AS "finishedType",
      finished_at AS finished FROM _prisma_migrations`,
    timeType: 'integer',
  },
  postgresql: {
    describe: `SELECT attname, format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid),
        EXISTS (SELECT FROM pg_index WHERE indrelid = attrelid AND indisprimary AND attnum = ANY (indkey))
      FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
      WHERE attrelid = '_prisma_migrations'::regclass AND attnum > 0 ORDER BY attnum`,
    creation: 'CREATE TABLE _prisma_migrations (\n    id                      VARCHAR(36)',
    times: `SELECT pg_typeof(started_at)::text AS "startedType", (extract(epoch FROM started_at) * 1000)::float8 AS started,
      pg_typeof(finished_at)::text AS "finishedType", (extract(epoch FROM finished_at) * 1000)::float8 AS finished
      FROM _prisma_migrations`,
    timeType: 'timestamp with time zone',
  },
};

const app = fileURLToPath(new URL('../..', import.meta.url));
const prisma = dirname(createRequire(import.meta.url).resolve('prisma/package.json'));

/** A statement of Prisma Migrate's engine, read from the installed package. */
function findStatement(beginning: string): string {
  const engine = readFileSync(join(prisma, 'build/schema_engine_bg.wasm'), 'latin1');
  const start = engine.indexOf(beginning);
  if (start < 0) throw new Error(`Prisma Migrate's engine has no statement that begins with ${beginning}`);
  return engine.slice(start, engine.indexOf(';', start));
}

describe.each(engines)('the migration ledger on %s', (engine) => {
  const ledger = ledgers[engine];
  const folders = join(app, 'prisma', engine, 'migrations');
  const names = readdirSync(folders).filter((name) => name !== 'migration_lock.toml');
  let database: TestDatabase;
  let startedAt = 0;
  let first: Awaited<ReturnType<typeof openOnce>>;
  beforeAll(async () => {
    database = await createTestDatabase(engine);
    startedAt = Date.now();
    first = await openOnce(database);
  });
  afterAll(() => database.remove());

  it('is created as by the statement that Prisma Migrate uses', async () => {
    const other = await createTestDatabase(engine);
    await other.query(findStatement(ledger.creation));
    const columns = await other.query(ledger.describe);
    await other.remove();
    expect(columns).toHaveLength(8);
    expect(await database.query(ledger.describe)).toEqual(columns);
  });

  it('has a row for each migration, as Prisma Migrate writes it', async () => {
    expect(first.applied).toEqual(names.toSorted());
    const rows = await database.query<{ id: string }>(
      'SELECT * FROM _prisma_migrations ORDER BY migration_name',
    );
    expect(rows).toEqual(
      first.applied.map((name) => ({
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
        checksum: createHash('sha256')
          .update(readFileSync(join(folders, name, 'migration.sql')))
          .digest('hex'),
        finished_at: expect.anything(),
        migration_name: name,
        logs: null,
        rolled_back_at: null,
        started_at: expect.anything(),
        applied_steps_count: 1,
      })),
    );
    expect(new Set(rows.map(({ id }) => id)).size).toBe(names.length);
  });

  it('has the times of the migration, as Prisma Migrate stores them', async () => {
    const times = await database.query<{ started: number; finished: number }>(ledger.times);
    expect(times).toHaveLength(names.length);
    for (const time of times) {
      expect(time).toMatchObject({ startedType: ledger.timeType, finishedType: ledger.timeType });
      expect(time.started).toBeGreaterThanOrEqual(startedAt);
      expect(time.finished).toBeGreaterThanOrEqual(time.started);
      expect(time.finished).toBeLessThanOrEqual(Date.now());
    }
  });

  it('keeps migrations from being applied twice, and nothing is reported of tokens', async () => {
    expect((await openOnce(database)).applied).toEqual([]);
    expect(await database.query('SELECT id FROM _prisma_migrations')).toHaveLength(names.length);
    expect(first.lines.filter((line) => line.includes('token'))).toEqual([]);
  });

  it.each([
    { state: 'edited', change: `checksum = 'of something else'`, message: 'was edited after' },
    { state: 'failed', change: 'finished_at = NULL', message: 'failed halfway' },
    {
      state: 'unknown',
      change: `migration_name = '99990101000000_later'`,
      message: 'which this version does not have',
    },
  ])('is rejected and left unchanged if it has a migration that is $state', async ({ change, message }) => {
    await database.query('CREATE TABLE saved AS SELECT * FROM _prisma_migrations');
    await database.query(`UPDATE _prisma_migrations SET ${change}`);
    const content = await database.query('SELECT * FROM _prisma_migrations');
    const opening = openOnce(database);
    await expect(opening).rejects.toBeInstanceOf(OperatorError);
    await expect(opening).rejects.toThrow(message);
    expect(await database.query('SELECT * FROM _prisma_migrations')).toEqual(content);
    await database.query('DELETE FROM _prisma_migrations');
    await database.query('INSERT INTO _prisma_migrations SELECT * FROM saved');
    await database.query('DROP TABLE saved');
  });

  it('is created once when many open a new database concurrently', async () => {
    const fresh = await createTestDatabase(engine);
    const opened = await Promise.all(Array.from({ length: 4 }, () => openOnce(fresh)));
    expect(opened.flatMap(({ applied }) => applied)).toEqual(first.applied);
    expect(await fresh.query('SELECT id FROM _prisma_migrations')).toHaveLength(names.length);
    await fresh.remove();
  });
});

/** A connection to a database, as `psql` or `sqlite3` has one, that can be migrated. */
interface Connection {
  run(statement: string): Promise<unknown>;
  migrate(migrations: readonly Migration[]): Promise<readonly string[]>;
}

type OnConnection = <Result>(
  url: string,
  use: (connection: Connection) => Promise<Result>,
) => Promise<Result>;

const onConnection: Readonly<Record<Engine, OnConnection>> = {
  sqlite: (url, use) =>
    withSqlite(new PrismaBetterSqlite3({ url }), (connection) =>
      use({
        run: (statement) => connection.executeScript(statement),
        migrate: (migrations) => migrateSqlite(connection, migrations),
      }),
    ),
  postgresql: (url, use) =>
    withConnection({ connectionString: url }, (connection) =>
      use({
        run: (statement) => connection.query(statement),
        migrate: (migrations) => migratePostgresql(connection, 'public', migrations),
      }),
    ),
};

/** The SQL of docs/operate/upgrading.md, from the latest version back to 1.0, and how many migrations that had. */
const statements = ['1\\.3', '1\\.1'].flatMap((version) => {
  const section = new RegExp(`## Going back from ${version}\n[\\s\\S]*?\`\`\`sql\n([^\`]+)\`\`\``);
  const [, sql = ''] = section.exec(readPage('docs/operate/upgrading.md')) ?? [];
  return sql.split(';\n').filter((statement) => statement !== '');
});
const countBefore = 1;

/** What version 1.0 runs on `access_tokens`: the look-up of a request, and what `token create` and `token list` do. */
const statementsBefore = [
  `SELECT id, name, created_at, expires_at, revoked_at FROM access_tokens WHERE hash = 'a'`,
  `INSERT INTO access_tokens (name, hash, created_at, expires_at, revoked_at)
   VALUES ('new', 'b', '2026-01-02T03:04:05.678+00:00', NULL, NULL)
   RETURNING id, name, created_at, expires_at, revoked_at`,
  'SELECT id, name, hash, created_at, expires_at, revoked_at FROM access_tokens ORDER BY id',
  `UPDATE access_tokens SET revoked_at = '2026-01-02T03:04:05.678+00:00' WHERE hash = 'b' AND revoked_at IS NULL`,
];

describe.each(engines)('version 1.0 on %s', (engine) => {
  const migrations = readMigrations(engine);
  const migrationsBefore = migrations.slice(0, countBefore);
  let database: TestDatabase;
  const connect: <Result>(use: (connection: Connection) => Promise<Result>) => Promise<Result> = (use) =>
    onConnection[engine](database.url, use);
  const runAll = (sql: readonly string[]) =>
    connect(async ({ run }) => {
      for (const statement of sql) await run(statement);
    });
  beforeEach(async () => {
    database = await createTestDatabase(engine);
  });
  afterEach(() => database.remove());

  it('goes on serving a database that is migrated meanwhile', async () => {
    await connect(({ migrate }) => migrate(migrationsBefore));
    expect((await openOnce(database)).lines).toContainEqual(
      expect.stringMatching(/^warn: access tokens issued by earlier versions may create/),
    );
    await runAll(statementsBefore);
    expect((await openOnce(database)).lines).toEqual([]);
    const { accessTokens, close } = await openTestDatabase(database);
    expect(await accessTokens.list()).toMatchObject([
      { name: 'new', scopes: ['create'], lastUsedAt: null, revokedAt: expect.any(Date) },
    ]);
    expect(await accessTokens.findByHash('b')).toMatchObject({ scopes: ['create'] });
    await close();
  });

  it('opens the database after the documented SQL, with all plants and tokens, and the latest version does again', async () => {
    const opened = await openTestDatabase(database);
    const plant = { id: 1n, name: 'Fern', tag: 'outdoor' };
    await opened.plants.create([plant, { id: 2n, name: 'Rose' }]);
    await opened.plants.remove([2n]);
    const token = await opened.accessTokens.add({ name: 'shop', hash: 'a', scopes, expiresAt: null });
    await opened.accessTokens.recordUses([{ id: token.id, at: new Date() }]);
    await opened.close();

    const migrateBefore = () => connect(({ migrate }) => migrate(migrationsBefore));
    await expect(migrateBefore()).rejects.toThrow('which this version does not have');
    expect(statements).toHaveLength(13);
    await runAll(statements);
    expect(await migrateBefore()).toEqual([]);
    await runAll(statementsBefore);

    const again = await openTestDatabase(database);
    expect(again.appliedMigrations).toEqual(migrations.slice(countBefore).map(({ name }) => name));
    expect((await collect(again.plants.read(undefined, highPageLimits))).flat()).toEqual([
      plant,
      { id: 2n, name: '' },
    ]);
    expect(await again.accessTokens.list()).toMatchObject([
      { ...token, scopes: ['create'] },
      { name: 'new' },
    ]);
    await again.close();
  });
});

describe('a migration of PostgreSQL that waits for a table', () => {
  const connections = useConnections();
  const lookUp = 'SELECT id FROM access_tokens';
  const countWaiting = `SELECT count(*)::int AS waiting FROM pg_locks WHERE NOT granted AND relation = 'access_tokens'::regclass`;

  it('lets running instances go on, and is applied once that is free', async () => {
    const { connect, database } = connections;
    const migrations = readMigrations('postgresql');
    const [migrating, dump, instance] = [await connect(), await connect(), await connect()];
    await migratePostgresql(migrating, 'public', migrations.slice(0, 1));
    await dump.query(`BEGIN; ${lookUp}`);
    const applied = migratePostgresql(migrating, 'public', migrations);
    await until(async () => (await database.query<{ waiting: number }>(countWaiting))[0]?.waiting === 1);
    // It waits behind the migration, which waits for the dump.
    await instance.query(lookUp);
    await dump.query('COMMIT');
    expect(await applied).toEqual(migrations.slice(1).map(({ name }) => name));
  });
});
