import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scopes } from '@plant-store/contract/access-token';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { collect } from '../../test/support/collect.js';
import { createTestDatabase, openTestDatabase } from '../../test/support/database/create-test-database.js';
import { type Engine, engines } from '../../test/support/database/engines.js';
import { recordLog } from '../../test/support/database/record-log.js';
import type { TestDatabase } from '../../test/support/database/test-database.js';
import { highPageLimits } from '../../test/support/database/use-plant-store.js';
import { removeFrom } from '../../test/support/plants/remove-from.js';
import { useConnections } from '../../test/support/postgresql/use-connections.js';
import { readPage } from '../../test/support/read-markdown.js';
import { until } from '../../test/support/until.js';
import { parseConfig } from '../config.js';
import { OperatorError } from '../errors/operator-error.js';
import { operator } from '../runtime/operator.js';
import { findPendingMigrations, type Migration, readMigrations } from './migrations.js';
import { openDatabase } from './open-database.js';
import { withConnection } from './postgresql/connection.js';
import { migratePostgresql } from './postgresql/migrate-postgresql.js';
import { withConnection as withSqlite } from './sqlite/connections.js';
import { migrateSqlite } from './sqlite/migrate-sqlite.js';

const migrations = ['1_first', '2_second', '3_third'].map((name) => ({ name, sql: '', checksum: '' }));
const row = { checksum: '', finished: true, rolledBack: false };

it('applies a migration again that was rolled back', () => {
  const pending = findPendingMigrations(migrations, [
    { ...row, migrationName: '1_first' },
    { ...row, migrationName: '2_second', finished: false, rolledBack: true },
  ]);
  expect(pending.map(({ name }) => name)).toEqual(['2_second', '3_third']);
});

it('rejects a new migration dated before an applied one, but not before one that was rolled back', () => {
  const first = { ...row, migrationName: '1_first' };
  const second = { ...row, migrationName: '2_second', rolledBack: true };
  const third = { ...row, migrationName: '3_third' };
  const findPending = () => findPendingMigrations(migrations, [first, third]);
  expect(findPending).toThrow(OperatorError);
  expect(findPending).toThrow(/^The migration 2_second is dated before 3_third, .*Rename the folder/);
  expect(findPendingMigrations(migrations, [first, second, third])).toMatchObject([{ name: '2_second' }]);
  // The late migration was itself rolled back.
  expect(findPendingMigrations(migrations, [first, { ...third, rolledBack: true }])).toHaveLength(2);
});

it.each(engines)(
  'leaves released migrations for %s as they are in databases, and new ones come after them',
  (engine) => {
    // `sha256sum --check` reads the list, too.
    const list = readFileSync(
      new URL(`../../prisma/${engine}/migrations/released.sha256`, import.meta.url),
      'utf8',
    );
    const released = Array.from(
      list.matchAll(/^(\S+) {2}(\w+)\/migration\.sql$/gm),
      ([, checksum, name]) => ({
        name,
        checksum,
      }),
    );
    expect(released.length).toBeGreaterThan(8);
    expect(readMigrations(engine).slice(0, released.length)).toMatchObject(released);
  },
);

/** Creates an empty database for this test. */
async function createDatabase(engine: Engine): Promise<TestDatabase> {
  const database = await createTestDatabase(engine);
  onTestFinished(() => database.remove());
  return database;
}

/** Opens a database, closes it, and returns the migrations that were applied, and what was logged. */
async function openOnce({ url }: TestDatabase) {
  const { log, lines } = recordLog();
  const opened = await openDatabase(parseConfig({ DATABASE_URL: url }, '/').database, { log });
  await opened.close();
  return { applied: opened.appliedMigrations, lines };
}

/** How an engine describes the columns of the ledger, and the beginning of the statement with which Prisma Migrate creates it. */
const ledgers = {
  sqlite: {
    describe: `SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info('_prisma_migrations') ORDER BY cid`,
    creation: 'CREATE TABLE "_prisma_migrations" (',
  },
  postgresql: {
    describe: `SELECT attname, format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid),
        EXISTS (SELECT FROM pg_index WHERE indrelid = attrelid AND indisprimary AND attnum = ANY (indkey))
      FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
      WHERE attrelid = '_prisma_migrations'::regclass AND attnum > 0 ORDER BY attnum`,
    creation: 'CREATE TABLE _prisma_migrations (\n    id                      VARCHAR(36)',
  },
} satisfies Record<Engine, object>;

const app = fileURLToPath(new URL('../..', import.meta.url));
const prisma = dirname(createRequire(import.meta.url).resolve('prisma/package.json'));

describe.each(engines)('the migration ledger on %s', (engine) => {
  const ledger = ledgers[engine];
  const folders = join(app, 'prisma', engine, 'migrations');
  const names = readdirSync(folders).filter((name) => /^\d/.test(name));
  const selectAll = 'SELECT * FROM _prisma_migrations ORDER BY migration_name';
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
    const other = await createDatabase(engine);
    const prismaEngine = readFileSync(join(prisma, 'build/schema_engine_bg.wasm'), 'latin1');
    const start = prismaEngine.indexOf(ledger.creation);
    expect(start).toBeGreaterThan(0);
    await other.query(prismaEngine.slice(start, prismaEngine.indexOf(';', start)));
    const columns = await other.query(ledger.describe);
    expect(columns).toHaveLength(8);
    expect(await database.query(ledger.describe)).toEqual(columns);
  });

  it('has a row for each migration, with its times, as Prisma Migrate writes it', async () => {
    expect(first.applied).toEqual(names.toSorted());
    const rows = await database.query<{ id: string; started_at: unknown; finished_at: unknown }>(selectAll);
    const time = expect.any(engine === 'sqlite' ? Number : Date);
    expect(rows).toEqual(
      first.applied.map((name) => ({
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
        checksum: createHash('sha256')
          .update(readFileSync(join(folders, name, 'migration.sql')))
          .digest('hex'),
        finished_at: time,
        migration_name: name,
        logs: null,
        rolled_back_at: null,
        started_at: time,
        applied_steps_count: 1,
      })),
    );
    expect(new Set(rows.map(({ id }) => id)).size).toBe(names.length);
    for (const { started_at, finished_at } of rows) {
      const times = [startedAt, started_at, finished_at, Date.now()].map(Number);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    }
  });

  it('keeps migrations from being applied twice, and reports nothing about tokens', async () => {
    expect((await openOnce(database)).applied).toEqual([]);
    expect(await database.query(selectAll)).toHaveLength(names.length);
    expect(first.lines.filter((line) => line.includes('token'))).toEqual([]);
  });

  it('is rejected and left unchanged if it has a migration that was edited, is unknown, or has failed', async () => {
    // Each change causes its own error.
    for (const [change, message] of [
      [`checksum = 'of something else'`, 'was edited after'],
      [`migration_name = '9999_later'`, 'which this version does not have'],
      ['finished_at = NULL', 'failed partway through'],
    ] as const) {
      await database.query(`UPDATE _prisma_migrations SET ${change}`);
      const content = await database.query('SELECT * FROM _prisma_migrations ORDER BY id');
      const opening = openOnce(database);
      await expect(opening).rejects.toBeInstanceOf(OperatorError);
      await expect(opening).rejects.toThrow(message);
      expect(await database.query('SELECT * FROM _prisma_migrations ORDER BY id')).toEqual(content);
    }
  });

  it('is created once when many open a new database concurrently', async () => {
    const fresh = await createDatabase(engine);
    const opened = await Promise.all(Array.from({ length: 4 }, () => openOnce(fresh)));
    expect(opened.flatMap(({ applied }) => applied)).toEqual(first.applied);
    expect(await fresh.query(selectAll)).toHaveLength(names.length);
  });
});

const openSqlite = (url: string) => () => new Sqlite(url.replace('file:', ''));

/** Runs SQL, or migrates as another version does, on a separate connection. */
const connections = {
  sqlite: {
    run: (url: string, sql: string) => withSqlite(openSqlite(url), (connection) => connection.exec(sql)),
    migrate: (url: string, migrations: readonly Migration[]) =>
      withSqlite(openSqlite(url), (connection) => migrateSqlite(connection, migrations)),
  },
  postgresql: {
    run: (connectionString: string, sql: string) =>
      withConnection({ connectionString }, (connection) => connection.query(sql)),
    migrate: (connectionString: string, migrations: readonly Migration[]) =>
      withConnection({ connectionString }, (connection) =>
        migratePostgresql(connection, 'public', migrations),
      ),
  },
} satisfies Record<Engine, object>;

/** Reads the SQL of docs/operate/going-back.md for an engine, from the latest version back to 1.0. */
function readStatements(engine: Engine): readonly string[] {
  const page = readPage('docs/operate/going-back.md');
  const blocks = page.matchAll(/(?:On (\w+), run this first:\n\n)?```sql\n(.*?)```/gs);
  return [...blocks]
    .filter(([, only]) => only === undefined || only.toLowerCase() === engine)
    .flatMap(([, , sql = '']) => sql.split(';\n').filter((statement) => statement !== ''));
}
const countBefore = 1;

/** The statements of version 1.0 on `access_tokens`: the look-up of a request, `token create` and `token list`. */
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
  async function create() {
    const database = await createDatabase(engine);
    const { run, migrate } = connections[engine];
    return {
      database,
      migrateBefore: () => migrate(database.url, migrations.slice(0, countBefore)),
      run: (sql: readonly string[]) => run(database.url, sql.join(';\n')),
    };
  }

  it('keeps serving a database while it is migrated', async () => {
    const { database, migrateBefore, run } = await create();
    await migrateBefore();
    expect((await openOnce(database)).lines).toContainEqual(
      expect.stringMatching(/^warn: access tokens from earlier versions may only create/),
    );
    await run(statementsBefore);
    expect((await openOnce(database)).lines).toEqual([]);
    const { accessTokens, close } = await openTestDatabase(database);
    expect(await accessTokens.list()).toMatchObject([
      { name: 'new', scopes: ['create'], lastUsedAt: null, revokedAt: expect.any(Date) },
    ]);
    expect(await accessTokens.findByHash('b')).toMatchObject({ scopes: ['create'] });
    await close();
  });

  it('opens the database after the documented SQL, with all plants and tokens, and the latest version does again', async () => {
    const { database, migrateBefore, run } = await create();
    const opened = await openTestDatabase(database);
    const plant = { id: 1n, name: 'Fern', tag: 'outdoor' };
    await opened.stores.plant.create([plant, { id: 2n, name: 'Rose' }]);
    await removeFrom(opened.stores.plant, [2n]);
    const token = await opened.accessTokens.add(
      { name: 'shop', hash: 'a', scopes, expiresAt: null },
      operator(),
    );
    await opened.accessTokens.recordUses([{ id: token.id, at: new Date() }]);
    await opened.close();

    await expect(migrateBefore()).rejects.toThrow('which this version does not have');
    const statements = readStatements(engine);
    expect(statements).toHaveLength(engine === 'sqlite' ? 38 : 39);
    await run(statements);
    expect(await migrateBefore()).toEqual([]);
    await run(statementsBefore);

    const again = await openTestDatabase(database);
    expect(again.appliedMigrations).toEqual(migrations.slice(countBefore).map(({ name }) => name));
    const plants = (await collect(again.stores.plant.read(undefined, highPageLimits))).flat();
    expect(plants).toEqual([plant, { id: 2n, name: '' }]);
    const tokens = [{ ...token, scopes: ['create'] }, { name: 'new' }];
    expect(await again.accessTokens.list()).toMatchObject(tokens);
    await again.close();
  });
});

describe('a migration of PostgreSQL that waits for a table', () => {
  const { connect, database } = useConnections();
  const lookUp = 'SELECT id FROM access_tokens';
  const countWaiting = `SELECT count(*)::int AS waiting FROM pg_locks WHERE NOT granted AND relation = 'access_tokens'::regclass`;

  it('does not block running instances, and is applied once the table is free', async () => {
    const migrations = readMigrations('postgresql');
    const [migrating, dump, instance] = [await connect(), await connect(), await connect()];
    await migratePostgresql(migrating, 'public', migrations.slice(0, 1));
    await dump.query(`BEGIN; ${lookUp}`);
    const applied = migratePostgresql(migrating, 'public', migrations);
    await until(async () => (await database.query<{ waiting: number }>(countWaiting))[0]?.waiting === 1);
    // The look-up waits behind the migration, which waits for the dump.
    await instance.query(lookUp);
    await dump.query('COMMIT');
    expect(await applied).toEqual(migrations.slice(1).map(({ name }) => name));
  });
});
