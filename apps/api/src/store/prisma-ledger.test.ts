import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, openTestDatabase } from '../../test/support/database/create-test-database.js';
import { type Engine, engines } from '../../test/support/database/engines.js';
import type { TestDatabase } from '../../test/support/database/test-database.js';
import { OperatorError } from '../errors/operator-error.js';

/** A column of the ledger, as the engine describes it. */
interface Column {
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean | number;
  readonly default: string | null;
  readonly primaryKey: boolean | number;
}

const column = (name: string, type: string, change: Partial<Column> = {}): Column => ({
  name,
  type,
  nullable: false,
  default: null,
  primaryKey: false,
  ...change,
});

/** How to query the ledger's description on an engine, and the expected result. */
interface Ledger {
  readonly describe: string;
  readonly columns: readonly Column[];
  /** The beginning of the statement with which Prisma Migrate's engine creates it. */
  readonly creation: string;
  /** Selects the stored times of the rows: their type, and milliseconds since the epoch. */
  readonly times: string;
  readonly timeType: string;
}

const ledgers: Readonly<Record<Engine, Ledger>> = {
  sqlite: {
    describe: `SELECT name, type, NOT "notnull" AS nullable, dflt_value AS "default", pk AS "primaryKey"
      FROM pragma_table_info('_prisma_migrations') ORDER BY cid`,
    columns: [
      column('id', 'TEXT', { primaryKey: true }),
      column('checksum', 'TEXT'),
      column('finished_at', 'DATETIME', { nullable: true }),
      column('migration_name', 'TEXT'),
      column('logs', 'TEXT', { nullable: true }),
      column('rolled_back_at', 'DATETIME', { nullable: true }),
      column('started_at', 'DATETIME', { default: 'current_timestamp' }),
      column('applied_steps_count', 'INTEGER UNSIGNED', { default: '0' }),
    ],
    creation: 'CREATE TABLE "_prisma_migrations" (',
    times: `SELECT typeof(started_at) AS "startedType", started_at AS started, typeof(finished_at) AS "finishedType",
      finished_at AS finished FROM _prisma_migrations`,
    timeType: 'integer',
  },
  postgresql: {
    describe: `SELECT attname AS name, format_type(atttypid, atttypmod) AS type, NOT attnotnull AS nullable,
        pg_get_expr(adbin, adrelid) AS "default",
        EXISTS (SELECT FROM pg_index WHERE indrelid = attrelid AND indisprimary AND attnum = ANY (indkey)) AS "primaryKey"
      FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
      WHERE attrelid = '_prisma_migrations'::regclass AND attnum > 0 ORDER BY attnum`,
    columns: [
      column('id', 'character varying(36)', { primaryKey: true }),
      column('checksum', 'character varying(64)'),
      column('finished_at', 'timestamp with time zone', { nullable: true }),
      column('migration_name', 'character varying(255)'),
      column('logs', 'text', { nullable: true }),
      column('rolled_back_at', 'timestamp with time zone', { nullable: true }),
      column('started_at', 'timestamp with time zone', { default: 'now()' }),
      column('applied_steps_count', 'integer', { default: '0' }),
    ],
    creation: 'CREATE TABLE _prisma_migrations (\n    id                      VARCHAR(36)',
    times: `SELECT pg_typeof(started_at)::text AS "startedType", (extract(epoch FROM started_at) * 1000)::float8 AS started,
      pg_typeof(finished_at)::text AS "finishedType", (extract(epoch FROM finished_at) * 1000)::float8 AS finished
      FROM _prisma_migrations`,
    timeType: 'timestamp with time zone',
  },
};

const app = fileURLToPath(new URL('../..', import.meta.url));
const prisma = dirname(createRequire(import.meta.url).resolve('prisma/package.json'));

describe.each(engines)('the migration ledger on %s', (engine) => {
  const ledger = ledgers[engine];
  const folders = join(app, 'prisma', engine, 'migrations');
  const names = readdirSync(folders).filter((name) => name !== 'migration_lock.toml');
  let database: TestDatabase;
  let startedAt = 0;
  let applied: readonly string[] = [];
  beforeAll(async () => {
    database = await createTestDatabase(engine);
    startedAt = Date.now();
    const opened = await openTestDatabase(database);
    applied = opened.appliedMigrations;
    await opened.close();
  });
  afterAll(() => database.remove());

  it('has the columns that Prisma Migrate creates', async () => {
    const columns = (await database.query<Column>(ledger.describe)).map((row) => ({
      ...row,
      nullable: Boolean(row.nullable),
      primaryKey: Boolean(row.primaryKey),
    }));
    expect(columns).toEqual(ledger.columns);
  });

  it('is created by the statement that Prisma Migrate uses', async () => {
    const other = await createTestDatabase(engine);
    await other.query(findStatement(ledger.creation));
    const columns = await other.query(ledger.describe);
    await other.remove();
    expect(columns).toHaveLength(8);
    expect(await database.query(ledger.describe)).toEqual(columns);
  });

  it('has a row for each migration, as Prisma Migrate writes it', async () => {
    expect(applied).toEqual(names.toSorted());
    const rows = await database.query<{ id: string }>(
      'SELECT * FROM _prisma_migrations ORDER BY migration_name',
    );
    expect(rows).toEqual(
      applied.map((name) => ({
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

  it('keeps migrations from being applied twice', async () => {
    const again = await openTestDatabase(database);
    await again.close();
    expect(again.appliedMigrations).toEqual([]);
    expect(await database.query('SELECT id FROM _prisma_migrations')).toHaveLength(names.length);
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
    const broken = await createTestDatabase(engine);
    await (await openTestDatabase(broken)).close();
    await broken.query(`UPDATE _prisma_migrations SET ${change}`);
    const content = await broken.query('SELECT * FROM _prisma_migrations');
    const opening = openTestDatabase(broken);
    await expect(opening).rejects.toBeInstanceOf(OperatorError);
    await expect(opening).rejects.toThrow(message);
    expect(await broken.query('SELECT * FROM _prisma_migrations')).toEqual(content);
    await broken.remove();
  });

  it('is created once when many open a new database concurrently', async () => {
    const fresh = await createTestDatabase(engine);
    const opened = await Promise.all(Array.from({ length: 4 }, () => openTestDatabase(fresh)));
    await Promise.all(opened.map((one) => one.close()));
    expect(opened.flatMap(({ appliedMigrations }) => appliedMigrations)).toEqual(applied);
    expect(await fresh.query('SELECT id FROM _prisma_migrations')).toHaveLength(names.length);
    await fresh.remove();
  });
});

/** A statement of Prisma Migrate's engine, read from the installed package. */
function findStatement(beginning: string): string {
  const engine = readFileSync(join(prisma, 'build/schema_engine_bg.wasm'), 'latin1');
  const start = engine.indexOf(beginning);
  if (start < 0) throw new Error(`Prisma Migrate's engine has no statement that begins with ${beginning}`);
  return engine.slice(start, engine.indexOf(';', start));
}
